// `brine install PACKAGE --prefix DIR`: installs a version of Brine in its own directory, beside other versions.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { silentLog } from '../../base/mod.ts'
import { minionConfig, option } from '../../config/mod.ts'
import { currentVersion, makeCurrent, stageVersion, versionFolder } from '../../upkeep/mod.ts'
import { COMMAND_HELP, type CommandOptions, configFolder, runCommand } from '../brine-command.ts'
import { configSources } from '../config-sources.ts'
import { UsageError } from '../optparse/exit.ts'
import type { Program } from '../optparse/option.ts'
import { processStreams, type Streams } from '../streams.ts'

export const PROGRAM: Program = {
  name: 'brine install',
  usage: 'PACKAGE --prefix DIR [options]',
  description: 'Unpack a package into DIR/versions/VERSION and let DIR/current lead there.',
  options: [
    COMMAND_HELP,
    { flags: ['--prefix'], metavar: 'DIR', help: 'directory of all versions, such as /opt/brine' },
    { flags: ['--sha256'], metavar: 'HASH', help: 'refuse a package with another hash' },
    {
      flags: ['--keyring'],
      metavar: 'FILE',
      help: "refuse a package whose signature (PACKAGE.asc) is not of a key in FILE (default: the option package_keyring of the minion's configuration)",
    },
    {
      flags: ['-c', '--config-dir'],
      metavar: 'DIR',
      help: "directory of the minion's configuration (default: '/etc/salt')",
    },
    { flags: ['--stage'], action: 'store_true', help: 'only unpack: DIR/current stays as it is' },
  ],
  groups: [],
}

/** Return the trusted keys that the minion's configuration names. */
async function configuredKeyring(words: CommandOptions): Promise<string | undefined> {
  const path = join(configFolder(words), 'minion')
  if (!existsSync(path)) return undefined
  const opts = await minionConfig({ path, log: silentLog, id: 'localhost', isLook: true, ...configSources })
  return option(opts, 'package_keyring') || undefined
}

export function run(argv: readonly string[], streams: Streams = processStreams): Promise<number> {
  return runCommand(PROGRAM, argv, streams, async (words) => {
    const [file, ...more] = words.args
    const prefix = words.text('prefix')
    if (file === undefined || prefix === undefined || more.length > 0)
      throw new UsageError('name one package, and --prefix')
    const root = resolve(prefix)
    const current = currentVersion(root)
    const { version } = await stageVersion(root, file, {
      inUse: current === undefined ? [] : [current],
      proof: { sha256: words.text('sha256'), keyring: words.text('keyring') ?? (await configuredKeyring(words)) },
    })
    streams.out(`${versionFolder(root, version)}\n`)
    if (words.flag('stage')) return 0
    makeCurrent(root, version)
    streams.out(
      `${join(root, 'current')} leads to version ${version}${current === undefined ? '' : `, before to ${current}`}\n`,
    )
    return 0
  })
}
