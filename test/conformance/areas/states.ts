// States and their functions, masterless (cases/states/README.md): each case gets a separate folder with a minion, and
// one call.
import type { Area, Case, Json, Outcome } from '../area.ts'
import { answerOf, type Call, enter } from '../minion/case-call.ts'
import type { CaseConfig } from '../minion/case-minion.ts'
import { CaseRoot } from '../minion/case-root.ts'
import { differences } from '../minion/difference.ts'

const SAME = 'as recorded'

async function run(testCase: Case): Promise<Outcome> {
  const root = new CaseRoot()
  const form = String(testCase['compare'] ?? 'exact')
  try {
    enter(root)
    root.write((testCase['files'] ?? {}) as Record<string, string>)
    root.run((testCase['setup'] ?? []) as string[])
    const config = root.fill(testCase['minion'] as Json) as unknown as CaseConfig
    for (const call of (testCase['pre'] ?? []) as Call[]) {
      await answerOf(root, config, root.fill(call as unknown as Json) as unknown as Call, form)
    }
    const call = root.fill(testCase['call'] as Json) as unknown as Call
    const answer = await answerOf(root, config, call, form)
    const out = root.out()
    const got = root.strip(Object.keys(out).length > 0 ? { ...answer, out } : answer)
    const problems = differences(testCase.expect as Json, got, form === 'unordered')
    return { expect: problems.length === 0 ? SAME : problems.join('\n') }
  } finally {
    root.remove()
  }
}

const area: Area = { name: 'states', recorded: () => ({ expect: SAME }), run }

export default area
