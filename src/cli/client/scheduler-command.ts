import {
  type AnyCommand,
  type Command,
  command,
  type Flags,
  type FlagValues,
  type Word,
} from '../command/declaration.ts'
import { printData } from './print.ts'
import {
  connectScheduler,
  type Scheduler,
  type SchedulerFlags,
  schedulerEnvironment,
  schedulerFlags,
} from './scheduler.ts'

type Given<Known extends Flags, Words extends readonly Word[]> = Parameters<
  Command<Known & typeof schedulerFlags, Words>['run']
>[0]

/** Declares a command of the scheduler: its connection, its usual flags and its environment are given. */
export const schedulerCommand = <const Known extends Flags, const Words extends readonly Word[]>(
  declared: Omit<Command<Known, Words>, 'run' | 'environment'> & {
    readonly run: (scheduler: Scheduler, given: Given<Known, Words>) => Promise<number> | Promise<void>
  },
): AnyCommand => {
  const { run, flags, ...about } = declared
  return command<Known & typeof schedulerFlags, Words>({
    ...about,
    flags: { ...flags, ...schedulerFlags },
    environment: schedulerEnvironment,
    run: (given) => run(connectScheduler(given.flags as FlagValues<typeof schedulerFlags>), given),
  })
}

/** Prints an answer as data if `-json` or `-format` asks for it; otherwise returns false. */
export const printed = ({ json, format }: Pick<SchedulerFlags, 'json' | 'format'>, data: unknown): boolean =>
  printData(json ? 'json' : format, data)
