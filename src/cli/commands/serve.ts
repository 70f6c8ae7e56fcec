import { command } from '../command/declaration.ts'
import { page } from '../command/page.ts'
import { serveFlags } from '../serve/flags.ts'

export const serve = command({
  about: 'serve the five services in one process',
  description: `Serves the five services in one process (development mode), until SIGINT or SIGTERM.
The files of --load, --config and --idp-script: ${page('guide/development-server')}`,
  flags: serveFlags,
  words: [],
  examples: [
    { run: 'plinth serve --demo', about: 'start with sample data on the usual ports' },
    { run: 'plinth serve --data ./data --root-token root', about: 'keep everything in a directory' },
    { run: 'plinth serve --load records.json --json', about: 'for scripts: one line of JSON when ready' },
  ],
  exits: {
    0: 'stopped by a signal, and all requests were answered',
    1: 'the start failed; standard error says why',
  },
  run: async ({ flags }) => (await import('../serve/serve.ts')).serveCommand(flags),
})
