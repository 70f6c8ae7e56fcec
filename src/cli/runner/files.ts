import { createReadStream } from 'node:fs'
import { readdir, realpath, rm, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { RunnerAnswerInput, RunnerCall } from '../../scheduler/index.ts'

type Refused = NonNullable<RunnerAnswerInput['Refused']>

/** Refuses a call. */
export const refused = (Code: Refused['Code'], Message: string): RunnerAnswerInput => ({
  Refused: { Code, Message },
})

const missing = (path: string) => refused('file_not_found', `no such file: ${path}`)

/** The real path of a file in the folder of an allocation, as long as it is in there and no secret. */
async function placeOf(dir: string, { AllocID, Path }: RunnerCall): Promise<string | RunnerAnswerInput> {
  const root = await rootOf(dir, AllocID)
  if (root === undefined) return missing(Path)
  const whole = await realpath(join(root, Path)).catch(() => undefined)
  if (whole === undefined) return missing(Path)
  const inside = relative(root, whole)
  if (inside === '..' || inside.startsWith(`..${sep}`))
    return refused('invalid_runner_call', `${Path} is outside of the allocation`)
  if (inside.split(sep)[1] === 'secrets')
    return refused('invalid_runner_call', `Reading secret file prohibited: ${Path}`)
  return whole
}

/** The folder of an allocation, which has no path but a name. */
async function rootOf(dir: string, id: string): Promise<string | undefined> {
  const isName = id !== '' && id !== '.' && id !== '..' && !/[\\/\0]/.test(id)
  return isName ? realpath(join(dir, id)).catch(() => undefined) : undefined
}

/** Lists a folder, or describes one file. */
export async function describeFiles(dir: string, call: RunnerCall): Promise<RunnerAnswerInput> {
  const place = await placeOf(dir, call)
  if (typeof place !== 'string') return place
  const own = await stat(place)
  if (call.Do === 'stat') return { Files: [infoOf(place, own)] }
  if (!own.isDirectory()) return refused('invalid_runner_call', `${call.Path} is not a folder`)
  const names = (await readdir(place)).sort()
  const found = await Promise.all(
    names.map((name) =>
      stat(join(place, name)).then(
        (each) => infoOf(name, each),
        () => undefined,
      ),
    ),
  )
  return { Files: found.filter((each) => each !== undefined) }
}

const infoOf = (name: string, { mode, size, mtime }: Awaited<ReturnType<typeof stat>>) => {
  const IsDir = (Number(mode) & 0o170000) === 0o040000
  const rights = Array.from('rwxrwxrwx', (sign, at) => ((Number(mode) >> (8 - at)) & 1 ? sign : '-')).join('')
  return {
    Name: name.split(sep).at(-1) ?? '',
    IsDir,
    Size: Number(size),
    FileMode: `${IsDir ? 'd' : '-'}${rights}`,
    ModTime: mtime.toISOString(),
  }
}

/** Reads a part of a file; at its end, waits for more as long as the allocation runs. */
export async function readFile(
  dir: string,
  call: RunnerCall,
  runs: () => boolean,
): Promise<RunnerAnswerInput> {
  const place = await placeOf(dir, call)
  if (typeof place !== 'string') return place
  for (let waited = 0; ; waited += lookMs) {
    // Looked at first: what is written after that is read before the end.
    const isOver = call.WaitMs === 0 || !runs()
    const { size, ...own } = await stat(place).then((each) => ({ size: each.size, isFile: each.isFile() }))
    if (!own.isFile) return refused('invalid_runner_call', `${call.Path} is not a file`)
    const Offset = call.Origin === 'end' ? Math.max(0, size - call.Offset) : Math.min(call.Offset, size)
    if (Offset < size || isOver || waited >= call.WaitMs) {
      const Data = await partOf(place, Offset, call.Limit)
      const isRead = Offset + Data.byteLength >= size
      return { Data: Data.toString('base64'), Path: call.Path, Offset, IsLast: isRead && isOver }
    }
    await pause(Math.min(lookMs, call.WaitMs - waited))
  }
}

async function partOf(path: string, start: number, limit: number): Promise<Buffer> {
  if (limit <= 0) return Buffer.alloc(0)
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(path, { start, end: start + limit - 1 })) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The pause between two looks at an output that is followed. */
const lookMs = 200

/**
 * Reads a part of a task's output, which is in numbered files; at its end, waits for more as long as the task may write.
 */
export async function readOutput(
  dir: string,
  call: RunnerCall,
  mayWrite: () => boolean,
): Promise<RunnerAnswerInput> {
  const { Task, Type, Limit, WaitMs } = call
  const root = await rootOf(dir, call.AllocID)
  if (root === undefined) return missing(`the output of ${Task}`)
  const folder = join(root, 'alloc', 'logs')
  const nameOf = (number: number) => `${Task}.${Type}.${number}`
  let at: { readonly file: number; readonly offset: number } | undefined
  for (let waited = 0; ; waited += lookMs) {
    // Looked at first: what is written after that is read before the end.
    const isOver = !mayWrite()
    const sizes = await sizesOf(folder, `${Task}.${Type}.`)
    if (sizes.length === 0)
      return refused('file_not_found', `task "${Task}" has no ${Type}: it has not started, or does not exist`)
    at ??= call.File === null ? positionOf(sizes, call) : { file: call.File, offset: call.Offset }
    for (const [file, size] of sizes) {
      if (file < at.file) continue
      const offset: number = file === at.file ? Math.min(at.offset, size) : 0
      if (offset >= size) continue
      const Data = await partOf(join(folder, nameOf(file)), offset, Limit)
      const isEnd = file === sizes.at(-1)?.[0] && offset + Data.byteLength >= size
      return {
        Data: Data.toString('base64'),
        Path: `alloc/logs/${nameOf(file)}`,
        File: file,
        Offset: offset,
        IsLast: isEnd && (WaitMs === 0 || isOver),
      }
    }
    if (isOver || waited >= WaitMs) {
      const Path = `alloc/logs/${nameOf(at.file)}`
      const Offset = sizes.find(([file]) => file === at?.file)?.[1] ?? 0
      return { Path, File: at.file, Offset, IsLast: isOver || WaitMs === 0 }
    }
    await pause(lookMs)
  }
}

type Sizes = readonly (readonly [file: number, size: number])[]

async function sizesOf(folder: string, begin: string): Promise<Sizes> {
  const names = await readdir(folder).catch(() => [])
  const numbers = names
    .filter((name) => name.startsWith(begin) && /^\d+$/.test(name.slice(begin.length)))
    .map((name) => Number(name.slice(begin.length)))
    .sort((a, b) => a - b)
  const found = await Promise.all(
    numbers.map(async (file) => {
      const size = await stat(join(folder, `${begin}${file}`)).then(
        (each) => each.size,
        () => undefined,
      )
      return size === undefined ? [] : [[file, size] as const]
    }),
  )
  return found.flat()
}

/** Where an offset from the start or the end of an output is; beyond it, its end or its start. */
function positionOf(sizes: Sizes, { Offset, Origin }: RunnerCall) {
  const total = sizes.reduce((sum, [, size]) => sum + size, 0)
  let left = Origin === 'start' ? Math.min(Offset, total) : Math.max(0, total - Offset)
  for (const [file, size] of sizes) {
    if (left < size) return { file, offset: left }
    left -= size
  }
  const [file, size] = sizes.at(-1) ?? [0, 0]
  return { file, offset: size }
}

/** Deletes the folders of ended allocations, beyond a number and an age; the latest ones stay. */
export async function deleteEnded(
  dir: string,
  isKept: (id: string) => boolean,
  { count, ageMs, now }: { readonly count: number; readonly ageMs: number; readonly now: number },
): Promise<void> {
  const ended = (await readdir(dir)).filter((id) => !isKept(id))
  const aged = await Promise.all(
    ended.map(async (id) => ({ id, at: (await stat(join(dir, id)).catch(() => undefined))?.mtimeMs ?? 0 })),
  )
  aged.sort((a, b) => b.at - a.at)
  for (const [place, { id, at }] of aged.entries())
    if (place >= count || now - at > ageMs) await rm(join(dir, id), { recursive: true, force: true })
}
