import { crc32 } from 'node:zlib'
import type { Json } from '../../src/store/index.ts'
import { openDatabase } from './sqlite-driver.ts'

/** A SQLite file as the first version of its tables was, with a commit for each value of the realm `main`. */
export function makeVersion1(file: string, values: Readonly<Record<string, Json>>): void {
  const database = openDatabase(file)
  database.exec(`
    create table realms (
      id integer primary key, name text not null unique, base integer not null, floor integer not null, importing text
    ) strict;
    create table entries (
      realm integer not null, key text not null, value text not null, created integer not null,
      modified integer not null, crc integer not null, primary key (realm, key)
    ) strict, without rowid;
    create table log (
      realm integer not null, rev integer not null, id text not null, keys text not null, crc integer not null,
      primary key (realm, rev)
    ) strict, without rowid;
    create table refusals (
      realm integer not null, id text not null, rev integer not null, stale text not null, primary key (realm, id)
    ) strict, without rowid;
    create index refusals_by_rev on refusals (realm, rev);
    pragma application_id = 1886153070;
    pragma user_version = 1;
    pragma journal_mode = wal;
    insert into realms (id, name, base, floor) values (1, 'main', 0, 0);
  `)
  // Without statements of their own, which would keep libsql from closing the file.
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
  for (const [at, [key, value]] of Object.entries(values).entries()) {
    const [rev, text, keys] = [at + 1, JSON.stringify(value), JSON.stringify([key])]
    const [entry, logged] = [
      crc32(`${key}\u0000${rev}\u0000${rev}\u0000${text}`),
      crc32(`${rev} commit-${rev}${keys}`),
    ]
    database.exec(`
      insert into entries values (1, ${quoted(key)}, ${quoted(text)}, ${rev}, ${rev}, ${entry});
      insert into log values (1, ${rev}, 'commit-${rev}', ${quoted(keys)}, ${logged});
    `)
  }
  database.close()
}
