#!/usr/bin/env node
// The `brine` program: commands beyond Salt's own. A command is loaded when it is named, so that printing the version
// costs little more than starting Node.
import { brineVersion } from '../base/mod.ts'
import { BRINE_COMMANDS, brineUsage } from './brine-commands.ts'

async function main(argv: string[]): Promise<number> {
  const [word, ...rest] = argv
  const command = BRINE_COMMANDS.find(({ name }) => name === word)
  if (command) return (await command.load()).run(rest)
  switch (word) {
    case 'supervise-upgrade':
      return (await import('./upkeep/supervise.ts')).run(rest)
    case 'doctor-worker':
      await (await import('../doctor/mod.ts')).serveExamination()
      return 0
    case '--version':
      process.stdout.write(`brine ${brineVersion()}\n`)
      return 0
    case '-V':
    case '--versions-report':
      return (await import('./versions-report.ts')).printVersions()
    case '-h':
    case '--help':
      process.stdout.write(brineUsage())
      return 0
    default: {
      const problem = word === undefined ? 'no command given' : `no such command: ${word}`
      process.stderr.write(`${brineUsage()}\nbrine: error: ${problem}\n`)
      return 64
    }
  }
}

main(process.argv.slice(2)).then((status) => {
  process.exitCode = status
})
