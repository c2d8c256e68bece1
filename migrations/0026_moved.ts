/** That the mirror was moved to another database, and whether a move or a backup holds an account. */
export const moved: readonly string[] = [
  `alter table headcount.sync_runs drop constraint sync_runs_mode_check`,
  `alter table headcount.sync_runs add constraint sync_runs_mode_check
    check (mode in ('sync', 'backfill', 'rename', 'remove', 'erase', 'move', 'backup'))`,
  `comment on column headcount.sync_runs.mode is
    'sync or backfill; erase: a person was erased or restored; rename, remove, move or backup: the account was held for that.'`,

  `create table headcount.moved (
    is_only boolean primary key default true check (is_only),
    moved_at timestamptz not null default now(),
    moved_to text not null
  )`,
  `comment on table headcount.moved is
    'One row once "headcount move" has copied this mirror to another database: nothing writes here any more. Empty before.'`,
  `comment on column headcount.moved.is_only is 'Lets the table have one row.'`,
  `comment on column headcount.moved.moved_at is 'When the copy was whole.'`,
  `comment on column headcount.moved.moved_to is 'The database that has the copy, without user and password.'`,
]
