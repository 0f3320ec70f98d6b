-- Keeps the number until the migration that has it is here.
select;
