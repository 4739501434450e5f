// The built-in external pillars, each loaded when a configuration names it: those of the library, and those that use
// parts of the pillar compiler.
import { pillarTable } from '../../loader/mod.ts'
import type { ExtPillars } from '../ext-pillar.ts'

export const builtinExtPillars: ExtPillars = new Map([
  ...Object.entries(pillarTable).map(([name, load]) => [name, async () => (await load()).default] as const),
  ['file_tree', async () => (await import('./file-tree.ts')).fileTree],
  ['stack', async () => (await import('./stack.ts')).stack],
  ['gpg', async () => (await import('./gpg.ts')).gpgPillar],
  ['nacl', async () => (await import('./nacl.ts')).naclPillar],
  ['git', async () => (await import('./git.ts')).git],
  ['postgres', async () => (await import('./sql.ts')).postgres],
  ['mysql', async () => (await import('./sql.ts')).mysql],
  ['sqlite3', async () => (await import('./sql.ts')).sqlite3],
])
