// `--summary`: how many minions returned, and which did not.
import type { ShownReturn } from './show.ts'

const RULE = '-------------------------------------------'

export function summaryText(answers: readonly ShownReturn[], isVerbose: boolean): string {
  const returned = answers.filter(({ isReturned }) => isReturned)
  const silent = answers.filter(({ isReturned }) => !isReturned)
  const failed = returned.filter(({ retcode }) => retcode !== 0)
  const lines = [
    '',
    '',
    RULE,
    'Summary',
    RULE,
    `# of minions targeted: ${answers.length}`,
    `# of minions returned: ${returned.length}`,
    `# of minions that did not return: ${silent.length}`,
    `# of minions with errors: ${failed.length}`,
  ]
  const name = (title: string, those: readonly ShownReturn[]): void => {
    if (isVerbose && those.length > 0) lines.push(`${title}: ${those.map(({ id }) => id).join(' ')}`)
  }
  const isGone = ({ value }: ShownReturn): boolean => typeof value === 'string' && value.includes('[Not connected]')
  name('Minions not connected', silent.filter(isGone))
  name(
    'Minions not responding',
    silent.filter((answer) => !isGone(answer)),
  )
  name('Minions with failures', failed)
  return `${[...lines, RULE].join('\n')}\n`
}
