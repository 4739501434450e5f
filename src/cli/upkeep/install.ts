// `brine install PACKAGE --prefix DIR`: a version of Brine in a directory of its own, beside others.
import { join, resolve } from 'node:path'
import { currentVersion, makeCurrent, stageVersion, versionFolder } from '../../upkeep/mod.ts'
import { HELP, runCommand } from '../brine-command.ts'
import { UsageError } from '../optparse/exit.ts'
import type { Program } from '../optparse/option.ts'
import { processStreams, type Streams } from '../streams.ts'

export const PROGRAM: Program = {
  name: 'brine install',
  usage: 'PACKAGE --prefix DIR [options]',
  description: 'Unpack a package into DIR/versions/VERSION and let DIR/current lead there.',
  options: [
    HELP,
    { flags: ['--prefix'], metavar: 'DIR', help: 'directory of all versions, such as /opt/brine' },
    { flags: ['--sha256'], metavar: 'HASH', help: 'refuse a package with another hash' },
    { flags: ['--stage'], action: 'store_true', help: 'only unpack: DIR/current stays as it is' },
  ],
  groups: [],
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
      sha256: words.text('sha256'),
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
