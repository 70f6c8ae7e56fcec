import { spawn } from 'node:child_process'
import { isStoreError } from '../../store/index.ts'
import { existingFile, realms } from '../backup/folder.ts'
import type { FlagValues } from '../command/declaration.ts'
import { durablePlaces, etcdPrefix } from '../serve/places.ts'
import { UserError } from '../user-error.ts'
import type { checkFlags } from './flags.ts'
import type { Report } from './report.ts'

/** Set in the child process that reads a realm: libsql ends the process at some damaged pages. */
const insideVariable = 'PLINTH_CHECK_REALM'

/** `plinth check --data WHERE` */
export async function checkCommand(flags: FlagValues<typeof checkFlags>): Promise<number> {
  const inside = process.env[insideVariable]
  if (inside !== undefined) {
    process.stdout.write(`${JSON.stringify(await checkHere(existingFile(flags.data), inside))}\n`)
    return 0
  }
  let isWhole = true
  for await (const report of reportsOn(flags.data, flags.realm)) {
    isWhole &&= report.faults.length === 0
    process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : formatted(report))
  }
  return isWhole ? 0 : 1
}

async function* reportsOn(where: string, only: string | undefined): AsyncIterable<Report> {
  if (where === 'memory') throw new UserError(`--data memory stores nothing: name ${durablePlaces}`, 2)
  if (/^postgres(?:ql)?:/.test(where)) yield* (await import('./postgres.ts')).checkPostgres(where, only)
  else if (where.startsWith(etcdPrefix)) yield* (await import('./etcd.ts')).checkEtcd(where, only)
  else for (const realm of realmsIn(existingFile(where), only)) yield await checkInChild(where, realm)
}

/** The realms to check. */
function realmsIn(file: string, only: string | undefined): readonly string[] {
  const chosen = realms.filter((realm) => only === undefined || realm === only)
  if (chosen.length === 0) throw new UserError(`there is no ${only} in ${file}: it has ${realms.join(', ')}`)
  return chosen
}

async function checkHere(file: string, realm: string): Promise<Report> {
  const { sqliteStore } = await import('../../store/sqlite/index.ts')
  try {
    const store = await sqliteStore(file, { realm })
    try {
      return { realm, ...(await store.check()) }
    } finally {
      await store.close()
    }
  } catch (error) {
    if (isStoreError(error)) return { realm, faults: [error.message] }
    throw error
  }
}

/** Reads a realm in a child process; if that crashes, the realm is damaged. */
async function checkInChild(where: string, realm: string): Promise<Report> {
  const [program = ''] = process.argv.slice(1)
  const args = [...process.execArgv, program, 'check', '--data', where]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, [insideVariable]: realm },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [output, complaint] = ['', '']
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes.toString()
  })
  child.stderr.on('data', (bytes: Buffer) => {
    complaint += bytes.toString()
  })
  const signal = await new Promise<NodeJS.Signals | null>((done, fail) => {
    child.once('error', fail)
    child.once('close', (_, by) => done(by))
  })
  // Written by the child process, unless it crashed.
  if (output.endsWith('\n')) return JSON.parse(output) as Report
  const end = signal === null ? complaint.trim().split('\n')[0] : `it was ended by ${signal}`
  return { realm, faults: [`the engine cannot read the file (${end}): restore a backup`] }
}

function formatted({ realm, rev, entries, commits, faults }: Report): string {
  const name = realm.padEnd(10)
  const log = commits === undefined ? '' : `, ${commits} commits`
  const size = rev === undefined ? '' : `revision ${rev}, ${entries} entries${log}`
  if (faults.length === 0) return `${name} ${size}: whole\n`
  const listed = faults.map((fault) => `  ${fault}\n`).join('')
  return `${name} ${size}${size === '' ? '' : ': '}damaged\n${listed}`
}
