// The external pillars that are built in, each loaded when a configuration names it.
import type { ExtPillars } from '../ext-pillar.ts'

export const builtinExtPillars: ExtPillars = new Map([
  ['cmd_yaml', async () => (await import('./command.ts')).cmdYaml],
  ['cmd_yamlex', async () => (await import('./command.ts')).cmdYamlex],
  ['cmd_json', async () => (await import('./command.ts')).cmdJson],
  ['file_tree', async () => (await import('./file-tree.ts')).fileTree],
  ['stack', async () => (await import('./stack.ts')).stack],
  ['nodegroups', async () => (await import('./nodegroups.ts')).nodegroups],
  ['gpg', async () => (await import('./gpg.ts')).gpgPillar],
  ['extra_minion_data_in_pillar', async () => (await import('./extra-minion-data.ts')).extraMinionData],
  ['nacl', async () => (await import('./nacl.ts')).naclPillar],
  ['csv', async () => (await import('./csv.ts')).csv],
  ['git', async () => (await import('./git.ts')).git],
  ['http_json', async () => (await import('./http.ts')).httpJson],
  ['http_yaml', async () => (await import('./http.ts')).httpYaml],
  ['postgres', async () => (await import('./sql.ts')).postgres],
  ['mysql', async () => (await import('./sql.ts')).mysql],
  ['sqlite3', async () => (await import('./sql.ts')).sqlite3],
  ['redis', async () => (await import('./redis.ts')).redis],
])
