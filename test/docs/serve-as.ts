import { type Plinth, plinth } from '../cli/server.ts'

export type Replacing = (text: string) => string

/** Puts what a test has in the place of what a page names, such as addresses and folders. */
export const replacing =
  (pairs: Readonly<Record<string, string>>): Replacing =>
  (text) =>
    Object.entries(pairs).reduce((done, [from, to]) => done.replaceAll(from, to), text)

const freePorts = ['gateway', 'catalog', 'registry'].flatMap((name) => [`--${name}-port`, '0'])

/** Starts `plinth serve` as a command line of a page says; answers its ready line as text. */
export async function serveAs(
  commands: string,
  replace: Replacing,
): Promise<{ readonly line: string; readonly server: Plinth }> {
  const [program, ...words] = replace(commands).replaceAll('\\\n', ' ').trim().split(/\s+/)
  if (!program?.endsWith('plinth')) throw new Error(`${commands} does not start plinth`)
  const server = plinth([...words, ...freePorts])
  const line = await new Promise<string>((resolve, reject) => {
    server.child.stdout.once('data', (text) => resolve(String(text)))
    void server.exited.then(() => reject(new Error(server.output().stderr)))
  })
  return { line, server }
}
