#!/usr/bin/env node
// The `brine` program: what it can do beyond Salt's own commands. Commands are loaded when they are named, so that
// asking for the version costs little more than starting Node.
import { brineVersion } from '../base/mod.ts'

const USAGE = `Usage: brine <command> [options]

Commands:
  render FILE    render an SLS file or a template and print the result
  new KIND NAME  begin a module, state or runner of your own in TypeScript
  python-host    answer a Python script that imports salt (it starts this itself)

Options:
  -h, --help     show this help, or that of the command before it
  --version      show the version
  -V, --versions-report
                 show the versions of Brine, Node, libraries and system
`

async function main(argv: string[]): Promise<number> {
  const [command, ...rest] = argv
  switch (command) {
    case 'render':
      return (await import('./render.ts')).run(rest)
    case 'new':
      return (await import('./new-module.ts')).run(rest)
    case 'python-host':
      return (await import('./python-host.ts')).run()
    case '--version':
      process.stdout.write(`brine ${brineVersion()}\n`)
      return 0
    case '-V':
    case '--versions-report':
      return (await import('./versions-report.ts')).printVersions()
    case '-h':
    case '--help':
      process.stdout.write(USAGE)
      return 0
    default: {
      const problem = command === undefined ? 'no command given' : `no such command: ${command}`
      process.stderr.write(`${USAGE}\nbrine: error: ${problem}\n`)
      return 64
    }
  }
}

main(process.argv.slice(2)).then((status) => {
  process.exitCode = status
})
