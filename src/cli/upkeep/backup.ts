// `brine backup`: a master's data and configuration in one archive, also while it runs.
import { LocalHost } from '../../host/mod.ts'
import { backUp, ownerNames } from '../../upkeep/mod.ts'
import {
  COMMAND_CONFIG_DIR,
  COMMAND_HELP,
  escapedLines,
  progressLine,
  readMaster,
  runCommand,
} from '../brine-command.ts'
import { UsageError } from '../optparse/exit.ts'
import type { Program } from '../optparse/option.ts'
import { processStreams, type Streams } from '../streams.ts'

export const PROGRAM: Program = {
  name: 'brine backup',
  usage: '--out FILE [options]',
  description: 'Write a backup of this master, which may be running. The archive contains private keys.',
  options: [
    COMMAND_HELP,
    COMMAND_CONFIG_DIR,
    { flags: ['-o', '--out'], metavar: 'FILE', help: 'archive to write: .tar, .tar.gz or .tar.zst' },
    { flags: ['--with-trees'], action: 'store_true', help: 'add file_roots, pillar_roots and thorium_roots' },
    {
      flags: ['--encrypt-to'],
      metavar: 'KEY',
      help: 'encrypt to a recipient: age1…, an SSH public key, or a key of GnuPG',
    },
    { flags: ['--force'], action: 'store_true', help: 'replace an archive of that name' },
  ],
  groups: [],
}

export function run(argv: readonly string[], streams: Streams = processStreams): Promise<number> {
  return runCommand(PROGRAM, argv, streams, async (words) => {
    const file = words.text('out')
    if (file === undefined || words.args.length > 0) throw new UsageError('name the archive with --out')
    const encryptTo = words.text('encrypt_to')
    const opts = await readMaster(words, streams)
    const progress = progressLine(streams, 'Backing up')
    const report = await backUp({
      opts,
      file,
      isWithTrees: words.flag('with_trees'),
      isForced: words.flag('force'),
      ...(encryptTo !== undefined && { encryptTo }),
      names: await ownerNames(new LocalHost({ cache: '' })),
      progress: progress.tell,
      warn: (text) => {
        progress.end()
        streams.err(escapedLines(`Warning: ${text}\n`))
      },
    }).finally(progress.end)
    const { bytes, files, head } = report
    streams.out(`${report.file}: ${files} files, ${bytes} bytes, as of ${head.time}\n`)
    if (encryptTo === undefined) {
      streams.out('The archive contains private keys and is not encrypted: whoever reads it can act as this master\n')
    }
    return 0
  })
}
