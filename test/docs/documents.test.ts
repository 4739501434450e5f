// Does what the documents tell their readers to do: each command runs in the order of its document, and its output is the one that is shown.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MINIONS } from '../../tools/up/site.ts'
import { isShown } from './compare.ts'
import { DocumentSite, documents } from './document-site.ts'

describe.each(documents())('$path', ({ steps }) => {
  const site = new DocumentSite()
  beforeAll(() => site.open())
  afterAll(() => site.close())

  test.each(steps.map((step) => [step.line, step.kind === 'file' ? step.path : step.command, step] as const))(
    'line %i: %s',
    async (_line, _what, step) => {
      const { output, status } = await site.perform(step)
      if (step.kind === 'file' || step.shown === '') expect(status, output).toBe(0)
      else if (!isShown(step.shown, output, MINIONS)) expect(output).toBe(step.shown)
    },
  )
})
