-- Run once by the image of Postgres, while its volume is empty: as its superuser, in the database headcount.
--
-- The worker's role is an ordinary one that owns this database. Its password is read from the secret here, so that it
-- stands in no statement and in no variable.
do $$
declare
  password text := trim(both e' \t\r\n' from pg_read_file('/run/secrets/headcount_password'));
begin
  if password = '' then
    raise 'secrets/headcount_password is empty';
  end if;
  execute format('create role headcount login password %L', password);
  execute format('alter database %I owner to headcount', current_database());
end $$;
