import { command } from '../command/declaration.ts'
import { page } from '../command/page.ts'

export const filter = command({
  about: 'print the JSON rows for which an expression is true',
  description: `Reads a JSON array, or a JSON value on each line, and prints the rows for which the expression is true, in the
form in which they came. Lines are filtered as they arrive.
The language: ${page('reference/filter')}`,
  flags: {
    count: { type: 'boolean', about: 'print how many rows pass, and not the rows' },
    dialect: {
      type: 'string',
      value: 'DIALECT',
      about: 'standard (the default), or bexpr for the expressions of go-bexpr',
      choices: ['standard', 'bexpr'],
    },
    bench: {
      type: 'boolean',
      about: 'print how long each way to run the expression takes for a row, and not the rows',
    },
    against: {
      type: 'string',
      value: 'FILE.js',
      about: 'with --bench: a module whose default export is a predicate, to compare with',
    },
    json: { type: 'boolean', about: 'with --bench: print the times as JSON' },
    lenient: { type: 'boolean', about: 'a row may lack a field that the expression names' },
    kind: {
      type: 'string',
      multiple: true,
      value: 'FIELD=KIND',
      about: 'what JSON cannot tell of a field: time, unix-ms, unix-ns, duration, … (repeatable)',
    },
  },
  words: [
    { name: 'EXPRESSION', about: `such as 'Status == "running" and Count > 3'` },
    { name: 'FILE', about: 'the rows; standard input where it is - or left out', optional: true },
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
    2: 'a mistake: in the command line, the expression or a row',
  },
  run: async ({ flags, words: [expression, file] }) => {
    const { filterCommand } = await import('../filter/filter.ts')
    return filterCommand({ ...flags, expression, file })
  },
})
