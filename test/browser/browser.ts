import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { commandOf, chromium as program } from '../programs.ts'

/** Starts Debian's Chromium; nothing of it asks the network. */
export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: onPath(commandOf(program) ?? 'chromium'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

/** A page that collects what goes wrong in it. */
export async function open(
  browser: Browser,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<{ readonly page: Page; readonly faults: string[] }> {
  const page = await browser.newPage(options)
  // No limit that a busy machine meets: the test's own ends what hangs.
  page.setDefaultTimeout(0)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    // That a request was refused is for the page to show.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      faults.push(message.text())
  })
  return { page, faults }
}

/** Where a command is: the library starts files, not commands. */
const onPath = (command: string): string =>
  command.includes('/')
    ? command
    : ((process.env['PATH'] ?? '')
        .split(delimiter)
        .map((folder) => join(folder, command))
        .find((path) => existsSync(path)) ?? command)
