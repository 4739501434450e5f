import { describe, expect, test } from 'vitest'
import { parseTab, renderTab } from './module/tab.ts'

const MANAGED = `MAILTO=root
# Lines below here are managed by Salt, do not edit
PATH=/bin
# say hello SALT_CRON_IDENTIFIER:hello
0 5 * * 1 echo  hello
#DISABLED#@daily /bin/tidy up
`

describe('a crontab', () => {
  test('is written as it was read', () => {
    expect(renderTab(parseTab(MANAGED))).toBe(MANAGED)
  })

  test('gives comments and identifiers to the jobs after them', () => {
    const { pre, env, crons, special } = parseTab(MANAGED)
    expect(pre).toEqual(['MAILTO=root'])
    expect(Object.fromEntries(env[0]!)).toEqual({ name: 'PATH', value: '/bin' })
    expect(Object.fromEntries(crons[0]!)).toMatchObject({
      minute: '0',
      dayweek: '1',
      cmd: 'echo  hello',
      comment: 'say hello',
      identifier: 'hello',
      commented: false,
    })
    expect(Object.fromEntries(special[0]!)).toMatchObject({ spec: '@daily', cmd: '/bin/tidy up', commented: true })
  })

  test('leaves lines from before Salt unchanged', () => {
    expect(renderTab(parseTab('1 2 3 4 5 own\n'))).toBe(
      '1 2 3 4 5 own\n# Lines below here are managed by Salt, do not edit\n',
    )
  })
})
