// The request in the command line of salt-cloud: its own options, separated from those that override options of the
// master.
import { str, textOf, type Value } from '../../data/mod.ts'
import type { CommandLine } from '../command-lines.ts'
import { UsageError } from '../optparse/exit.ts'

/** The request in the command line. */
export interface CloudOptions {
  args: readonly string[]
  text(name: string): string | undefined
  flag(name: string): boolean
  words(name: string): readonly string[]
}

/** Options of the program that are no options of the master. */
const OWN = [
  ...['location', 'action', 'function', 'profile', 'map', 'hard', 'destroy', 'deploy', 'parallel', 'update_bootstrap'],
  ...['assume_yes', 'keep_tmp', 'show_deploy_args', 'script_args', 'bootstrap', 'query', 'full_query', 'select_query'],
  ...['list_providers', 'list_profiles', 'list_locations', 'list_images', 'list_sizes', 'set_password'],
]

/** Take the options of the program out of a command line. */
export function takeOptions(line: CommandLine): CloudOptions {
  const values = new Map<string, Value>()
  for (const name of OWN) {
    const value = line.values.get(name)
    line.values.delete(name)
    if (value !== undefined) values.set(name, value)
  }
  const options: CloudOptions = {
    args: line.args,
    text: (name) => textOf(values.get(name) ?? null) || undefined,
    flag: (name) => values.get(name) === true,
    words: (name) => {
      const value = values.get(name)
      return Array.isArray(value) ? value.map(str) : []
    },
  }
  checkOptions(options)
  return options
}

function checkOptions(options: CloudOptions): void {
  if (options.words('set_password').length > 0) {
    throw new UsageError('--set-password is not supported: name passwords by sdb:// values')
  }
  if (options.text('profile') !== undefined && options.text('map') !== undefined) {
    throw new UsageError('The options --profile/--map are mutually exclusive. Please only choose one of them')
  }
  if (options.flag('hard') && options.text('map') === undefined) throw new UsageError('--hard is for a map')
}
