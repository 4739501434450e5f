// `brine upgrade-check`: checks before an upgrade of this master. Exits with 0 without findings, 2 with warnings, 1
// with problems.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Log } from '../../base/mod.ts'
import { masterConfig } from '../../config/mod.ts'
import {
  checkUpgrade,
  installedAs,
  type Release,
  releaseIn,
  releaseOf,
  type UpgradeReport,
  versionFolder,
} from '../../upkeep/mod.ts'
import { COMMAND_CONFIG_DIR, COMMAND_HELP, type CommandOptions, configFolder, runCommand } from '../brine-command.ts'
import { configSources } from '../config-sources.ts'
import { UsageError } from '../optparse/exit.ts'
import type { Program } from '../optparse/option.ts'
import { processStreams, type Streams } from '../streams.ts'

export const PROGRAM: Program = {
  name: 'brine upgrade-check',
  usage: '[--package FILE | --to VERSION] [options]',
  description: 'Say what an upgrade of this master would meet. Exit status: 0 nothing, 2 warnings, 1 problems.',
  options: [
    COMMAND_HELP,
    COMMAND_CONFIG_DIR,
    { flags: ['--package'], metavar: 'FILE', help: 'package of the version to upgrade to' },
    { flags: ['--to'], metavar: 'VERSION', help: 'version to upgrade to, if it is installed side by side' },
    { flags: ['--json'], action: 'store_true', help: 'print the report as JSON' },
  ],
  groups: [],
}

const STATUS = { ok: 0, warning: 2, problem: 1 } as const

export function run(argv: readonly string[], streams: Streams = processStreams): Promise<number> {
  return runCommand(PROGRAM, argv, streams, async (words) => {
    if (words.args.length > 0) throw new UsageError(`'${words.args[0]}' is not expected`)
    const configWarnings: string[] = []
    const log: Log = (level, text) => {
      if (level === 'warning' || level === 'error') configWarnings.push(text)
    }
    const opts = await masterConfig({
      path: join(configFolder(words), 'master'),
      log,
      ...configSources,
      program: 'salt-master',
    })
    const to = words.text('to')
    const target = await targetOf(words)
    const report = checkUpgrade({ opts, configWarnings, ...(target && { target }), ...(to !== undefined && { to }) })
    streams.out(words.flag('json') ? `${JSON.stringify(report, undefined, 2)}\n` : shown(report))
    const levels = report.findings.map(({ level }) => level)
    return STATUS[levels.includes('problem') ? 'problem' : levels.includes('warning') ? 'warning' : 'ok']
  })
}

async function targetOf(words: CommandOptions): Promise<Release | undefined> {
  const [file, to] = [words.text('package'), words.text('to')]
  if (file !== undefined && to !== undefined) throw new UsageError('give --package or --to')
  if (file !== undefined) return releaseOf(resolve(file))
  const own = to === undefined ? undefined : installedAs(process.argv[1])
  if (!own || !/^[\w.-]+$/.test(to!) || to!.startsWith('.')) return undefined
  const folder = versionFolder(own.prefix, to!)
  return existsSync(folder) ? releaseIn(folder) : undefined
}

const MARKS = { ok: 'ok      ', warning: 'WARNING ', problem: 'PROBLEM ' } as const

function shown({ from, to, findings }: UpgradeReport): string {
  const lines = findings.map(({ level, subject, text }) => `${MARKS[level]} ${subject}: ${text}`)
  return `Brine ${from}${to === undefined ? '' : ` to ${to}`}\n${lines.join('\n')}\n`
}
