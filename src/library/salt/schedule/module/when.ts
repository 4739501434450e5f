// Recognizes times in the `when` of a job: dates, weekdays, times of day, and words between them, in the
// orders that dateutil accepts.

const WEEKDAYS = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ')
const MONTHS = 'january february march april may june july august september october november december'.split(' ')
const names = (list: readonly string[]): string[] => list.flatMap((name) => [name, name.slice(0, 3)])

const TELLING = new Set([
  ...names(WEEKDAYS),
  ...names(MONTHS),
  ...'tues wedn thur thurs sept am a pm p h hour hours m minute minutes s second seconds'.split(' '),
])
const BETWEEN = new Set('at on and ad m t of st nd rd th utc gmt z'.split(' '))

const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?$/

function isNumberText(text: string): boolean {
  const time = TIME.exec(text)
  if (time === null) return /^\d+(?:[-/.:,]\d+)*$/.test(text)
  const [hour, minute, second = '0'] = time.slice(1)
  return Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
}

export function tellsTime(text: string): boolean {
  const tokens = text.match(/\d+(?:[-/.:,]\d+)*|[A-Za-z]+|[^\sA-Za-z\d]/g) ?? []
  let found = 0
  for (const token of tokens) {
    const word = token.toLowerCase()
    if (TELLING.has(word) || (/^\d/.test(token) && isNumberText(token))) found++
    else if (BETWEEN.has(word) || /^[-.,;/'+]$/.test(token)) continue
    // a zone behind the time, by its short name
    else if (!(found > 0 && /^[A-Z]{3,5}$/.test(token))) return false
  }
  return found > 0
}
