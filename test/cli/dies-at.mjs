/*
 * Preloaded into a `plinth` process (`node --import`): kills it right before the operation on files or commit that
 * PLINTH_DIES_AT numbers, from 1, and writes what it counts to the file PLINTH_COUNTS_IN.
 */
import fs, { mkdtempSync, rmSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const diesAt = Number(process.env.PLINTH_DIES_AT)
const countsIn = process.env.PLINTH_COUNTS_IN
let done = 0
const step = (what) => {
  done += 1
  if (countsIn !== undefined) fs.appendFileSync(countsIn, `${what}\n`)
  if (done === diesAt) process.kill(process.pid, 'SIGKILL')
}
const counted = (object, name, isStep = () => true) => {
  const original = object[name]
  object[name] = function (...args) {
    if (!isStep(...args)) return original.apply(this, args)
    step(name)
    return original.apply(this, args)
  }
}

const folder = mkdtempSync(join(tmpdir(), 'plinth-dies-'))
const file = await fs.promises.open(join(folder, 'file'), 'w')
const handle = Object.getPrototypeOf(file)
await file.close()
rmSync(folder, { recursive: true })

for (const name of ['mkdir', 'mkdtemp', 'rename', 'rm', 'unlink', 'writeFile', 'cp', 'copyFile'])
  counted(fs.promises, name)
counted(fs.promises, 'open', (_, flags) => flags !== undefined && flags !== 'r')
for (const name of ['write', 'writeFile', 'appendFile', 'sync', 'datasync', 'truncate', 'chmod'])
  counted(handle, name)
syncBuiltinESMExports()

// A commit of the engine can be cut off before it, and once it is on disk but nothing came of it yet.
const require = createRequire(import.meta.url)
const { prototype } = process.getBuiltinModule?.('node:sqlite')?.DatabaseSync ?? require('libsql')
const { exec } = prototype
const writing = new WeakSet()
prototype.exec = function (sql) {
  if (sql === 'begin immediate') writing.add(this)
  if (sql !== 'commit' || !writing.delete(this)) return exec.call(this, sql)
  step('commit')
  const result = exec.call(this, sql)
  step('after commit')
  return result
}
