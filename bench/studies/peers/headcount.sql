-- What headcount holds, as the service's rows (bench/account/rows.ts).
create temporary view events as select * from headcount.events where account_id = 1;
create temporary view responses as select * from headcount.responses where account_id = 1;
create temporary view payments as select * from headcount.payments where account_id = 1;
create temporary view slots as select * from headcount.slots where account_id = 1;
