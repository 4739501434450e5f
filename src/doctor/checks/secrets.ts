// Secrets in clear: in the state tree, which every minion can fetch, and in pillar files under version control.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Check, CheckContext } from '../check.ts'
import { secretsIn } from '../secrets/secrets-in.ts'
import { textOfFile } from '../site/read-bounded.ts'
import { isAside, type SiteFile } from '../site/site-tree.ts'

const MOST_BYTES = 512 << 10
const TEXTS = /\.(?:sls|ya?ml|jinja2?|j2|json|conf|cfg|ini|env|sh|py|toml|pem|key|txt|tmpl|template)$|\/[^.]*$|^[^./]*$/
/** Examples and tests contain many passwords that are not real. */
const EXAMPLES = /pillar\.example|\.example\b|\.sample\b|README|CHANGELOG/i

export const secrets: Check = {
  name: 'secrets in clear',
  codes: ['secret-in-file', 'secret-in-pillar'],
  run: ({ states, pillar }, ctx) => {
    const ofPillar = new Set(pillar.files.map(({ file }) => file))
    for (const file of states.files) if (!ofPillar.has(file.file)) look(file, false, ctx)
    for (const file of pillar.files) if (isVersioned(file.root)) look(file, true, ctx)
  },
}

function look({ file, path, size }: SiteFile, isPillar: boolean, { report, enter }: CheckContext): void {
  if (size > MOST_BYTES || !TEXTS.test(path) || EXAMPLES.test(path) || isAside(path) || !enter(file)) return
  const text = textOfFile(file)
  if (text === undefined || text.includes('\0')) return
  const isConfig = isPillar || path.endsWith('.sls')
  for (const { kind, line } of secretsIn(text, { isConfig })) {
    report(isPillar ? 'secret-in-pillar' : 'secret-in-file', {
      message: `The file holds ${kind} in clear`,
      at: { file, line },
    })
  }
}

const known = new Map<string, boolean>()

function isVersioned(folder: string): boolean {
  const before = known.get(folder)
  if (before !== undefined) return before
  const parent = dirname(folder)
  const answer = existsSync(join(folder, '.git')) || (parent !== folder && isVersioned(parent))
  known.set(folder, answer)
  return answer
}
