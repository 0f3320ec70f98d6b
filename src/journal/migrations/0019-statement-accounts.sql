-- Which of our own accounts a line of a statement is of: eight hex digits of the account number's SHA-256, which stand
-- for the account among ours and tell nobody the number.
alter table giro.statement_line add column account text check (account ~ '^[0-9a-f]{8}$');
