// The options about the Python that runs users' modules, for programs without a minion or master: those of the minion
// on this machine, or of the master if there is no minion.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../base/mod.ts'
import { MASTER_CONFIG, MINION_CONFIG, masterConfig, minionConfig } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'

/** `folder` is the directory of the configuration, where the command line names one. */
export async function pythonOptions(
  folder: string | undefined = process.env['SALT_CONFIG_DIR'],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Dict> {
  const minion = folder ? join(folder, 'minion') : (env['SALT_MINION_CONFIG'] ?? MINION_CONFIG)
  const master = folder ? join(folder, 'master') : (env['SALT_MASTER_CONFIG'] ?? MASTER_CONFIG)
  if (!existsSync(minion) && existsSync(master)) return masterConfig({ path: master, log: silentLog })
  return minionConfig({ path: minion, log: silentLog, id: 'localhost' })
}
