// The commands of `brine`: name, words, one line of help, and the file that runs each. Help, dispatch, the manual page and the
// completion follow from this table.
import type { Program } from './optparse/option.ts'

interface CommandFile {
  run(argv: readonly string[]): Promise<number>
  /** The command line, where the command has options. */
  readonly PROGRAM?: Program
}

export interface BrineCommand {
  readonly name: string
  /** Words that follow the name. */
  readonly words: string
  readonly help: string
  readonly load: () => Promise<CommandFile>
}

export const BRINE_COMMANDS: readonly BrineCommand[] = [
  {
    name: 'doctor',
    words: '',
    help: 'say what of a Salt installation will not work with Brine',
    load: () => import('./doctor.ts'),
  },
  {
    name: 'render',
    words: 'FILE',
    help: 'render an SLS file or a template and print the result',
    load: () => import('./render.ts'),
  },
  {
    name: 'new',
    words: 'KIND NAME',
    help: 'begin a module, state or runner of your own in TypeScript',
    load: () => import('./new-module.ts'),
  },
  {
    name: 'simulate',
    words: 'N',
    help: 'start N simulated minions of a master, to try and measure it',
    load: () => import('./simulate.ts'),
  },
  {
    name: 'bootstrap',
    words: 'HOST',
    help: 'install a minion of this master on hosts over SSH',
    load: () => import('./bootstrap.ts'),
  },
  {
    name: 'backup',
    words: '',
    help: 'write a backup of this master, also while it runs',
    load: () => import('./upkeep/backup.ts'),
  },
  {
    name: 'restore',
    words: 'FILE',
    help: 'restore a master from a backup',
    load: () => import('./upkeep/restore.ts'),
  },
  {
    name: 'downgrade-db',
    words: '',
    help: "take the master's databases one version back",
    load: () => import('./upkeep/downgrade-db.ts'),
  },
  {
    name: 'upgrade-check',
    words: '',
    help: 'say what an upgrade of this master would meet',
    load: () => import('./upkeep/upgrade-check.ts'),
  },
  {
    name: 'install',
    words: 'FILE',
    help: 'install a package side by side with other versions',
    load: () => import('./upkeep/install.ts'),
  },
  {
    name: 'run-minion',
    words: '',
    help: 'run salt-minion as a service that can be upgraded side by side',
    load: () => import('./upkeep/run-minion.ts'),
  },
  {
    name: 'python-host',
    words: '',
    help: 'answer a Python script that imports salt (it starts this itself)',
    load: () => import('./python-host.ts'),
  },
]

const COLUMN = 17

export function brineUsage(): string {
  const commands = BRINE_COMMANDS.map(({ name, words, help }) => {
    const left = `  ${name} ${words}`.trimEnd()
    return left.length < COLUMN - 1 ? left.padEnd(COLUMN) + help : `${left}\n${' '.repeat(COLUMN)}${help}`
  })
  return `Usage: brine <command> [options]

Commands:
${commands.join('\n')}

Options:
  -h, --help     show this help, or that of the command before it
  --version      show the version
  -V, --versions-report
                 show the versions of Brine, Node, libraries and system

Read more with "man brine".
`
}
