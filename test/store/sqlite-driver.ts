import { findDriver } from '../../src/store/sqlite/driver.ts'
import type { SqliteDatabase } from '../../src/store/sqlite/index.ts'

/*
 * The driver that the store finds by itself; PLINTH_SQLITE_DRIVER=/path/of/better-sqlite3/lib/index.js takes another.
 */
const named = process.env['PLINTH_SQLITE_DRIVER']
const driver = named === undefined ? undefined : ((await import(named)) as { default: DatabaseClass }).default
type DatabaseClass = new (file: string) => SqliteDatabase

/** What names the driver to a store: nothing, where it finds one. */
export const driverOptions = driver && { open: (file: string) => new driver(file) }

export const openDatabase = driverOptions?.open ?? findDriver().open
