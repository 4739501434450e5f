// Does what the documents tell their readers to do: each command runs in the order of its document, and its output is the one that is shown.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MINIONS } from '../../tools/up/site.ts'
import type { Step } from './blocks.ts'
import { isShown } from './compare.ts'
import { DocumentSite, documents } from './document-site.ts'
import { NOT_RUN, unrunBlocks } from './not-run.ts'

/** Documents whose steps build on each other and change the site. */
const OWN_SITE = ['docs/tutorial.md', 'docs/troubleshooting.md']

const isAlone = ({ path }: { path: string }): boolean => OWN_SITE.includes(path)

function perform(site: DocumentSite, steps: readonly Step[]): void {
  test.each(steps.map((step) => [step.line, step.kind === 'file' ? step.path : step.command, step] as const))(
    'line %i: %s',
    async (_line, _what, step) => {
      const { output, status } = await site.perform(step)
      if (step.kind === 'file' || step.shown === '') expect(status, output).toBe(0)
      else if (!isShown(step.shown, output, MINIONS)) expect(output).toBe(step.shown)
    },
  )
}

describe.each(documents().filter(isAlone))('$path', ({ steps }) => {
  const site = new DocumentSite()
  beforeAll(() => site.open())
  afterAll(() => site.close())
  perform(site, steps)
})

describe('documents that share a site', () => {
  const site = new DocumentSite()
  beforeAll(() => site.open())
  afterAll(() => site.close())
  describe.each(documents().filter((one) => !isAlone(one)))('$path', ({ steps }) => perform(site, steps))
})

describe('commands that are not run', () => {
  test.each(unrunBlocks())('%s, line %i: %s', (path) => {
    expect(NOT_RUN, `say in test/docs/not-run.ts why the commands of ${path} are not run, or run them`).toHaveProperty([
      path,
    ])
  })

  test('have reasons only where there are such commands', () => {
    const paths = new Set(unrunBlocks().map(([path]) => path))
    expect(Object.keys(NOT_RUN).filter((path) => !paths.has(path))).toEqual([])
  })
})
