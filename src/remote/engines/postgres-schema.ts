/** Our tables, beside those of BullMQ in the same schema. A later version adds statements behind these. */
export const schemaVersion = 1;

export const schemaStatements = `
create table if not exists cadre_schema (version integer not null);
create table if not exists cadre_epochs (job text primary key, epoch bigint not null default 0);
create table if not exists cadre_rows (
  job text not null, stream text not null, seq bigint not null, key text not null, body text not null,
  primary key (job, stream, seq), unique (job, stream, key)
);
create table if not exists cadre_notes (
  kind text not null, id text not null, body text not null, until timestamptz not null, primary key (kind, id)
);
create or replace function cadre_append(
  of_job text, of_epoch bigint, streams text[], keys text[], bodies text[]
) returns boolean language plpgsql as $$
declare
  current_epoch bigint;
begin
  insert into cadre_epochs (job) values (of_job) on conflict do nothing;
  -- Appends to one job are one after another: the order of rows is the order in which they become visible.
  select epoch into current_epoch from cadre_epochs where job = of_job for update;
  if of_epoch is not null and of_epoch <> current_epoch then return false; end if;
  for at in 1 .. coalesce(array_length(streams, 1), 0) loop
    insert into cadre_rows (job, stream, seq, key, body)
      select of_job, streams[at], coalesce(max(seq), 0) + 1, keys[at], bodies[at]
      from cadre_rows where job = of_job and stream = streams[at]
      on conflict (job, stream, key) do nothing;
  end loop;
  return true;
end $$;
insert into cadre_schema (version) select ${schemaVersion} where not exists (select from cadre_schema);
`;
