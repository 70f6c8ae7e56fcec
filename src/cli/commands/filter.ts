import { command } from '../command/declaration.ts'
import { page } from '../command/page.ts'

export const filter = command({
  about: 'print the JSON rows that match an expression',
  description: `Reads a JSON array, or a JSON value on each line, and prints the matching rows
unchanged. Lines are filtered as they arrive.
The language: ${page('reference/filter')}`,
  flags: {
    count: { type: 'boolean', about: 'print the number of matching rows instead of the rows' },
    dialect: {
      type: 'string',
      value: 'DIALECT',
      about: 'standard (the default), or bexpr for the expressions of go-bexpr',
      choices: ['standard', 'bexpr'],
    },
    bench: {
      type: 'boolean',
      about: 'print the time per row of each way to run the expression, instead of the rows',
    },
    against: {
      type: 'string',
      value: 'FILE.js',
      about: 'with --bench: a module whose default export is a predicate, to compare with',
    },
    json: { type: 'boolean', about: 'with --bench: print the times as JSON' },
    lenient: { type: 'boolean', about: 'rows may lack fields that the expression names' },
    kind: {
      type: 'string',
      multiple: true,
      value: 'FIELD=KIND',
      about: 'the kind of a field where JSON has none: time, unix-ms, unix-ns, duration, … (repeatable)',
    },
  },
  words: [
    { name: 'EXPRESSION', about: `such as 'Status == "running" and Count > 3'` },
    { name: 'FILE', about: 'the rows; standard input if it is - or missing', optional: true },
  ],
  examples: [
    { run: `plinth filter 'Status == "running"' jobs.json`, about: 'rows of a file' },
    { run: `cat log.jsonl | plinth filter --lenient 'status >= 500'`, about: 'lines as they arrive' },
    { run: `plinth filter --count 'Type == "batch"' jobs.json`, about: 'how many there are' },
    { run: `plinth filter --kind at=time 'at > now - 1h' log.jsonl`, about: 'rows of the last hour' },
    {
      run: `curl -s http://127.0.0.1:4646/v1/nodes | plinth filter 'Status == "ready"'`,
      about: 'what a service answers',
    },
  ],
  exits: {
    0: 'a row passed',
    1: 'no row passed',
    2: 'the command line, the expression or a row is invalid',
  },
  run: async ({ flags, words: [expression, file] }) => {
    const { filterCommand } = await import('../filter/filter.ts')
    return filterCommand({ ...flags, expression, file })
  },
})
