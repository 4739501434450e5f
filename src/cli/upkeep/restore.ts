// `brine restore`: a master back from an archive, wholly or not at all.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Log, shownText, silentLog } from '../../base/mod.ts'
import { masterConfig } from '../../config/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { LocalHost } from '../../host/mod.ts'
import {
  finishExchange,
  isMasterRunning,
  type Manifest,
  masterAreas,
  ownerNames,
  readExchangePlan,
  restore,
  takeBack,
  UpkeepError,
  verifyArchive,
} from '../../upkeep/mod.ts'
import {
  COMMAND_CONFIG_DIR,
  COMMAND_HELP,
  type CommandOptions,
  configFolder,
  progressLine,
  readMaster,
  runCommand,
} from '../brine-command.ts'
import { UsageError } from '../optparse/exit.ts'
import type { Program } from '../optparse/option.ts'
import { processStreams, type Streams } from '../streams.ts'

export const PROGRAM: Program = {
  name: 'brine restore',
  usage: 'FILE [options]',
  description: 'Restore a master from an archive of brine backup. The master must not run.',
  options: [
    COMMAND_HELP,
    COMMAND_CONFIG_DIR,
    { flags: ['--into'], metavar: 'ROOT', help: 'restore below this directory instead of to /' },
    {
      flags: ['--allow-path'],
      action: 'append',
      metavar: 'DIR',
      help: 'restore to this directory too (may be repeated)',
    },
    { flags: ['--force'], action: 'store_true', help: 'exchange files that are there; the old ones are kept' },
    { flags: ['--test'], action: 'store_true', help: 'check everything and change nothing' },
    { flags: ['--list'], action: 'store_true', help: 'list the files of the archive' },
    { flags: ['--verify'], action: 'store_true', help: 'check the archive against its manifest' },
    { flags: ['--identity'], metavar: 'FILE', help: 'key of age for an encrypted archive' },
    { flags: ['--continue'], action: 'store_true', help: 'finish a restore that was interrupted' },
    { flags: ['--abandon'], action: 'store_true', help: 'take back a restore that was interrupted' },
  ],
  groups: [],
}

export function run(argv: readonly string[], streams: Streams = processStreams): Promise<number> {
  return runCommand(PROGRAM, argv, streams, async (words) => {
    if (words.flag('continue') || words.flag('abandon')) return settle(words, streams)
    const [file, ...more] = words.args
    if (file === undefined || more.length > 0) throw new UsageError('name one archive')
    const identity = words.text('identity')
    const reading = identity === undefined ? {} : { identity }
    if (words.flag('list') || words.flag('verify')) return look(file, words, reading, streams)
    const into = words.text('into')
    const masters = into === undefined ? await mastersHere(words, streams) : []
    for (const opts of masters) await refuseRunning(opts)
    const isTest = words.flag('test')
    const progress = progressLine(streams, isTest ? 'Checking' : 'Restoring')
    const { manifest, paths, old } = await restore({
      ...reading,
      file,
      ...(into !== undefined && { into }),
      allowed: [
        ...masters.flatMap((opts) => masterAreas(opts, true).map(({ path }) => path)),
        ...words.list('allow_path'),
      ],
      isForced: words.flag('force'),
      isTest,
      names: await ownerNames(new LocalHost({ cache: '' })),
      progress: progress.tell,
    }).finally(progress.end)
    streams.out(summary(manifest))
    streams.out(`${isTest ? 'Would restore' : 'Restored'}: ${paths.join(', ')}\n`)
    if (old.length > 0) streams.out(`The files from before are in ${old.join(', ')}; remove them when all is well\n`)
    if (!isTest && process.geteuid?.() !== 0) streams.out('Owners were not restored, because only root can do that\n')
    return 0
  })
}

/** The options of the master on this machine as it is configured, and without a configuration. */
async function mastersHere(words: CommandOptions, streams: Streams): Promise<Dict[]> {
  const log: Log = silentLog
  const folder = configFolder(words)
  const bare = await masterConfig({ path: join(folder, 'no-such-file'), log, program: 'salt-master' })
  const isConfigured = existsSync(join(folder, 'master'))
  return isConfigured ? [await readMaster(words, streams), bare] : [bare]
}

async function refuseRunning(opts: Dict): Promise<void> {
  if (!(await isMasterRunning(opts))) return
  throw new UpkeepError('InTheWay', 'The master runs on this machine', {
    hint: 'Stop salt-master and salt-api first, or restore below another directory with --into',
  })
}

async function look(
  file: string,
  words: CommandOptions,
  reading: { identity?: string },
  streams: Streams,
): Promise<number> {
  const progress = progressLine(streams, 'Reading')
  const manifest = await verifyArchive(file, { ...reading, progress: progress.tell }).finally(progress.end)
  if (words.flag('list')) {
    for (const { path, kind, size, mode } of manifest.files) {
      const [, index, below = ''] = /^area-(\d+)\/(.*)$/.exec(path) ?? []
      const place = shownText(`${manifest.head.areas[Number(index)]?.path}/${below}`)
      streams.out(`${mode.toString(8).padStart(4, '0')} ${kind === 'file' ? String(size) : kind} ${place}\n`)
    }
  }
  streams.out(summary(manifest))
  if (words.flag('verify')) streams.out('All files are what the manifest says\n')
  return 0
}

function summary({ head, files, databases }: Manifest): string {
  const versions = Object.values(databases).map(({ name, version }) => `${name} ${version}`)
  const who = `${shownText(head.master)} on ${shownText(head.host)}`
  return `Backup of ${who}, as of ${shownText(head.time)}, by Brine ${shownText(head.brine)}: ${files.length} entries; databases: ${versions.join(', ')}\n`
}

/** Finish or take back an exchange that was interrupted, wherever its plan is. */
async function settle(words: CommandOptions, streams: Streams): Promise<number> {
  const into = words.text('into')
  const masters = await mastersHere(words, streams)
  for (const opts of masters) if (into === undefined) await refuseRunning(opts)
  const paths = [
    ...masters.flatMap((opts) => masterAreas(opts, true).map(({ path }) => path)),
    ...words.list('allow_path'),
  ]
  for (const path of paths) {
    const plan = readExchangePlan(into === undefined ? path : join(into, path))
    if (!plan) continue
    if (words.flag('abandon')) takeBack(plan)
    else finishExchange(plan)
    const done = words.flag('abandon') ? 'Took back' : 'Finished'
    streams.out(`${done} the restore of ${plan.areas.map((area) => area.path).join(', ')}\n`)
    return 0
  }
  throw new UpkeepError('InTheWay', `No restore was interrupted in ${paths.join(', ')}`)
}
