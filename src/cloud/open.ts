// salt-cloud put together: files, providers, records and the master behind it.
import { join } from 'node:path'
import { didYouMean, type Log, withHint } from '../base/mod.ts'
import {
  type CloudFiles,
  type CloudProvider,
  type ConfigRenderer,
  cloudConfigFolder,
  type FetchSdb,
  isMasterOption,
  readCloudFiles,
} from '../config/mod.ts'
import { type Dict, isList, str } from '../data/mod.ts'
import { type MasterAccess, masterContext } from '../runner/mod.ts'
import { boundSettings } from '../sdk/mod.ts'
import { type AccountParts, Accounts } from './accounts.ts'
import { readMasterFacts } from './bootstrap/master.ts'
import { Cloud } from './cloud.ts'
import { reporter } from './events.ts'
import { NodeCache } from './node-cache.ts'
import { Records } from './record.ts'
import { CLOUD_OPTIONS, DEPLOY_SETTINGS, NEEDLESS } from './settings.ts'

export interface CloudOpening {
  access: MasterAccess
  render: ConfigRenderer
  fetchSdb: FetchSdb
  signal: AbortSignal
  log?: Log
  /** Settings of the command line, which override those of the file `cloud`. */
  given?: Dict
  /** A provider in addition to those of the files. */
  extra?: CloudProvider
  drivers?: AccountParts['drivers']
}

/** Read the files and open salt-cloud. Incomplete creations of killed runs are not undone yet: `settle` does that. */
export async function openCloud(opening: CloudOpening): Promise<Cloud> {
  const { access, render, fetchSdb, signal, given = new Map(), extra, drivers } = opening
  const log = opening.log ?? access.log
  const files = await readCloudFiles({ opts: access.opts, log, render })
  tellUnknownOptions(files, log)
  if (extra) files.providers.push(extra)
  const settings = boundSettings(CLOUD_OPTIONS, files.own, 'The file cloud')
  const { host } = access
  const jobs = masterContext(access, { jid: '', user: '', tag: 'salt/cloud' })
  const report = reporter((tag, data) => access.fire(tag, data), log)
  const parts = { files, host, log, jobs, fetchSdb, ...(drivers && { drivers }) }
  const cachedir = str(files.opts.get('cachedir')!)
  const folders = settings.deploy_scripts_search_path
  const named = files.own.get('master')
  const deploying = {
    ...{ access, opts: files.opts, log, signal, report, folder: cloudConfigFolder(access.opts) },
    master: later(() => readMasterFacts(access.opts, host, typeof named === 'string' ? named : undefined)),
    scripts: (isList(folders) ? folders : [folders]).map((folder) =>
      absolute(str(folder), cloudConfigFolder(access.opts)),
    ),
  }
  return new Cloud({
    ...{ files, log, signal, render, report, deploying },
    accounts: new Accounts({ ...parts, signal }),
    undoing: new Accounts({ ...parts, signal: new AbortController().signal }),
    records: new Records(cachedir, log),
    cache: new NodeCache({
      cachedir,
      log,
      report,
      firesNews: settings.update_cachedir,
      firesDiffs: settings.diff_cache_events,
    }),
    atOnce: Math.max(1, settings.pool_size),
    selection: settings['query.selection'],
    given,
  })
}

/** Return a function that computes a value at the first call only. */
function later<T>(compute: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= compute()
    return made
  }
}

const absolute = (path: string, folder: string): string => (path.startsWith('/') ? path : join(folder, path))

/** Warn of options in the file `cloud` that nothing reads. */
function tellUnknownOptions({ own, sources }: CloudFiles, log: Log): void {
  const known = [...Object.keys(CLOUD_OPTIONS), ...Object.keys(DEPLOY_SETTINGS), ...FILE_OPTIONS]
  for (const name of [...own.keys()].map(str)) {
    if (known.includes(name) || isMasterOption(name)) continue
    const at = sources.get(name)
    const place = at ? ` in ${at.file}, line ${at.line}` : ''
    if (Object.hasOwn(NEEDLESS, name)) log('info', `The option '${name}'${place} has no effect: ${NEEDLESS[name]}`)
    else log('warning', withHint(`Nothing reads the option '${name}'${place}`, didYouMean(name, known)))
  }
}

/** Options about the files themselves. */
const FILE_OPTIONS = [
  'providers',
  'profiles',
  'providers_config',
  'profiles_config',
  'master_config',
  'cachedir',
  'include',
  'default_include',
  'config_renderer',
]
