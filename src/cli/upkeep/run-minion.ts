// `brine run-minion [words of salt-minion]`: a minion for service managers, which can be upgraded beside its running version.
import { installedAs, launchMinion, UpkeepError } from '../../upkeep/mod.ts'
import { COMMAND_HELP, runCommand } from '../brine-command.ts'
import type { Program } from '../optparse/option.ts'
import { processStreams, type Streams } from '../streams.ts'

export const PROGRAM: Program = {
  name: 'brine run-minion',
  usage: '[options of salt-minion]',
  description: 'Run salt-minion in the foreground, as a service that brine.upgrade can upgrade.',
  options: [COMMAND_HELP],
  groups: [],
}

export function run(argv: readonly string[], streams: Streams = processStreams): Promise<number> {
  const isHelp = argv.includes('-h') || argv.includes('--help')
  return runCommand(PROGRAM, isHelp ? ['--help'] : [], streams, async () => {
    const own = installedAs(process.argv[1])
    if (!own) {
      throw new UpkeepError('BadPackage', 'This program is not installed in a version directory', {
        hint: 'Install it with brine install',
      })
    }
    return launchMinion(own.prefix, argv)
  })
}
