import { describe, expect, test } from 'vitest'
import { ABSENT_PROGRAMS } from './absent-programs.ts'
import { TEMPLATES } from './new-module/templates.ts'

describe('the text of salt-extend', () => {
  test('names a command of brine that exists', () => {
    const [, kind] = /brine new (\w+) NAME/.exec(ABSENT_PROGRAMS['salt-extend']!) ?? []
    expect(Object.keys(TEMPLATES)).toContain(kind)
  })
})
