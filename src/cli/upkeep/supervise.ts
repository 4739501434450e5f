// `brine supervise-upgrade FOLDER`: watches a new version of a minion. A minion starts it; it is not for people.
import { supervise, UpgradeTrial } from '../../upkeep/mod.ts'

export async function run([folder]: readonly string[]): Promise<number> {
  if (folder === undefined) return 64
  await supervise(UpgradeTrial.read(folder))
  return 0
}
