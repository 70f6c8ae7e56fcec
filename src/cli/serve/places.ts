/** What `--data` takes where data has to last, for messages. */
export const durablePlaces = 'a directory, sqlite:FILE, postgres://… or etcd://…'

/** The prefix of a SQLite file in `--data`. */
export const sqlitePrefix = 'sqlite:'

/** The prefix of a cluster in `--data`. */
export const etcdPrefix = 'etcd://'
