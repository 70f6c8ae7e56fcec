import type { Word } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'
import { membersOf } from './members.ts'
import { jsonObject, sourceText } from './pairs.ts'
import type { Scheduler } from './scheduler.ts'

export const jobFileWord = {
  name: 'FILE',
  about: 'a job in HCL, or in JSON as the API takes it; - is standard input',
} as const satisfies Word

/** The job in a file: JSON with or without its envelope, or HCL, which the scheduler parses. */
export async function readJob(
  scheduler: Scheduler,
  file: string,
): Promise<{ readonly job: Readonly<Record<string, unknown>>; readonly id: string }> {
  const text = await sourceText(file)
  const name = file === '-' ? 'standard input' : file
  const job = text.trimStart().startsWith('{')
    ? jsonObject(text, name)
    : membersOf(
        await scheduler.ask('POST', 'jobs/parse', `reading ${name}`, {
          body: { JobHCL: text, Canonicalize: true },
        }),
      )
  const inner = 'Job' in job ? membersOf(job['Job']) : job
  const id = inner['ID']
  if (typeof id !== 'string' || id === '') throw new UserError(`${name} has no job: its ID is missing`)
  return { job: inner, id }
}
