// The wire: recorded bytes and their meaning (cases/wire/README.md). A case passes if there are no problems.
import { toError } from '../../../src/base/mod.ts'
import type { Area, Case, Outcome } from '../area.ts'
import { checkExchange, checkPublication } from '../wire/exchanges.ts'
import { checkSmall } from '../wire/small.ts'
import type { WireCase } from '../wire/vectors.ts'

function check(testCase: WireCase): Promise<string[]> | string[] {
  const { kind } = testCase
  if (kind === 'auth' || kind === 'exchange') return checkExchange(testCase)
  if (kind === 'publication' || kind === 'filtering') return checkPublication(testCase)
  return checkSmall(testCase) ?? [`no check for ${kind}`]
}

const area: Area = {
  name: 'wire',
  recorded: () => ({ expect: [] }),
  async run(testCase: Case): Promise<Outcome> {
    try {
      return { expect: await check(testCase as WireCase) }
    } catch (error) {
      return { expect: [`failed: ${toError(error).stack ?? ''}`] }
    }
  },
}

export default area
