// The salt-master that `make_master` puts on a new machine beside its minion: programs of the same package, options, and a service.
import { type Dict, dumpJson, isDict, str, type Value } from '../data/mod.ts'
import type { SshHost } from '../host/mod.ts'
import { linkMasterPrograms } from './bootstrap/package.ts'
import { startDaemon } from './bootstrap/start.ts'

const CONFIG_DIR = '/etc/salt/master.d'
/** Read after the usual names, so that it wins. */
const OWN_CONFIG = `${CONFIG_DIR}/99-cloud.conf`

export interface NewMaster {
  /** The setting `master`: options of the new master where it is a dict. */
  options: Value
  isSystemd: boolean
  signal: AbortSignal
}

/** Install and start the master. The package is installed already. Return a warning for the user, if there is one. */
export async function installMaster(machine: SshHost, { options, ...more }: NewMaster): Promise<string | undefined> {
  await linkMasterPrograms(machine)
  await machine.makeDirectory(CONFIG_DIR, { parents: true, mode: 0o755 })
  await machine.write(OWN_CONFIG, configText(isDict(options) ? options : new Map()), { mode: 0o600 })
  return startDaemon(machine, { program: 'salt-master', isChanged: true, ...more })
}

/** Values are written as JSON, which is valid YAML for all characters. */
const configText = (options: Dict): string =>
  [
    '# Written by salt-cloud.',
    ...[...options].map(([key, value]) => `${JSON.stringify(str(key))}: ${dumpJson(value)}`),
    '',
  ].join('\n')
