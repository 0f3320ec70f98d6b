module example.com/giro/proof

go 1.22
