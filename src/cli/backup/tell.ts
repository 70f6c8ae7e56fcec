import { progress } from '../progress.ts'

/** Runs a part of the work, and shows its progress. */
export async function showing(
  what: string,
  quiet: boolean,
  work: (report: (done: number, total: number) => void) => Promise<void>,
): Promise<void> {
  const shown = progress(what, { quiet })
  try {
    await work(shown.report)
  } finally {
    shown.end()
  }
}

/** Prints the revision of each realm: lines for people, or one line of JSON. */
export function tellRevisions(revisions: Readonly<Record<string, number>>, json: boolean): void {
  if (json) return void process.stdout.write(`${JSON.stringify({ revisions })}\n`)
  for (const [realm, revision] of Object.entries(revisions))
    process.stdout.write(`${realm.padEnd(10)} revision ${revision}\n`)
}
