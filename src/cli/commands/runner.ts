import { command } from '../command/declaration.ts'
import { runnerEnvironment, runnerFlags } from '../runner/flags.ts'

export const runner = command({
  about: 'run the tasks that a scheduler places on this machine',
  description: `Registers this machine as a node of a scheduler and runs what is placed on it, until SIGINT or SIGTERM:
tasks of the drivers raw_exec and exec, as processes of this user. It is for development and tests: the drivers do not
isolate tasks or limit their resources, and templates, artifacts, volumes and other users are refused. A node that is
stopped by a signal ends its tasks and is down; a killed node is lost when its heartbeats stop.`,
  flags: runnerFlags,
  words: [],
  examples: [
    { run: 'plinth runner --dir ./node-1', about: 'run what the local scheduler places here' },
    {
      run: 'plinth runner --address http://127.0.0.1:4646 --node web-1 --dir ./web-1',
      about: 'as the node web-1',
    },
  ],
  exits: {
    0: 'stopped by a signal, and all tasks have ended',
    1: 'registration failed; standard error says why',
  },
  environment: runnerEnvironment,
  run: async ({ flags }) => (await import('../runner/runner.ts')).runnerCommand(flags),
})
