// "May this user do that?", with the rule that allows it, or why not.
import { useEffect, useState } from 'preact/hooks'
import { Problem, post } from '../../api/client.ts'
import { param, setParams } from '../../route.ts'
import { Badge, Card, Field, ProblemNotice, Select } from '../../ui/basic.tsx'

type Family = 'execution' | 'runner' | 'wheel'

const FAMILIES: ReadonlyArray<readonly [Family, string]> = [
  ['execution', 'on minions'],
  ['runner', 'of runners'],
  ['wheel', 'of wheel'],
]

const TARGETS = ['glob', 'list', 'pcre', 'grain', 'pillar', 'nodegroup', 'compound', 'ipcidr']

interface Verdict {
  allowed: boolean
  rule: string | null
  reason: string
}

const PAUSE_MS = 250
const FUNCTION = /^\w+\.\w+$/

/** Parse typed arguments: JSON, or words. */
function argumentsIn(text: string): unknown[] {
  if (text.trim() === '') return []
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : [value]
  } catch {
    // no JSON: words
    return text.trim().split(/\s+/)
  }
}

/** Ask the server, a moment after the last change. */
function useVerdict(user: string | undefined, eauth: string | undefined) {
  const [state, setState] = useState<{ verdict?: Verdict | undefined; problem?: Problem }>({})
  const [fun, target, kind, family, args] = [
    param('function'),
    param('target'),
    param('targetType', 'glob'),
    param('family', 'execution') as Family,
    param('args'),
  ]
  useEffect(() => {
    setState({})
    if (!FUNCTION.test(fun)) return undefined
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      const aimed = family === 'execution' && target !== '' ? { target, targetType: kind } : {}
      const call = { family, function: fun, ...aimed, args: argumentsIn(args) }
      const other = user !== undefined && eauth !== undefined ? { user, eauth } : {}
      try {
        const { items } = await post('/v1/rights', { body: { calls: [call], ...other }, signal: abort.signal })
        setState({ verdict: items[0] })
      } catch (error) {
        if (!abort.signal.aborted)
          setState({ problem: error instanceof Problem ? error : new Problem(0, String(error)) })
      }
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [user, eauth, fun, target, kind, family, args])
  return state
}

function Answer({ verdict, who }: { verdict: Verdict; who: string }) {
  return (
    <div class="notice" data-tone={verdict.allowed ? 'info' : 'failed'} role="status">
      <Badge tone={verdict.allowed ? 'ok' : 'failed'}>{verdict.allowed ? 'allowed' : 'refused'}</Badge>
      <span class="grow wrap">
        {who} {verdict.allowed ? 'may do this' : 'may not do this'}. {verdict.reason}
      </span>
      {verdict.rule !== null && <pre class="code">{verdict.rule}</pre>}
    </div>
  )
}

const text = (name: string, hint: string) => (ids: { id: string }) => (
  <input
    {...ids}
    class="input"
    value={param(name)}
    placeholder={hint}
    autocomplete="off"
    spellcheck={false}
    onInput={(event) => setParams({ [name]: event.currentTarget.value })}
  />
)

/** The form of the question. Without `user` it is about the caller. */
export function Question({ user, eauth }: { user?: string | undefined; eauth?: string | undefined }) {
  const { verdict, problem } = useVerdict(user, eauth)
  const who = user === undefined ? 'You' : `${user} (${eauth})`
  const fun = param('function')
  const isOnMinions = param('family', 'execution') === 'execution'
  return (
    <Card title={user === undefined ? 'May I do this?' : `May ${user} do this?`}>
      <div class="stack">
        <div class="users-form">
          <Field label="Function" wrong={fun === '' || FUNCTION.test(fun) ? undefined : 'Write it as module.function'}>
            {text('function', 'state.apply')}
          </Field>
          <Field label="Kind">
            {() => (
              <Select
                label="Kind"
                value={param('family', 'execution')}
                options={FAMILIES}
                onChange={(family) => setParams({ family: family === 'execution' ? null : family })}
              />
            )}
          </Field>
          {isOnMinions && (
            <>
              <Field label="Target">{text('target', 'any minion')}</Field>
              <Field label="Kind of target">
                {() => (
                  <Select
                    label="Kind of target"
                    value={param('targetType', 'glob')}
                    options={TARGETS}
                    onChange={(kind) => setParams({ targetType: kind === 'glob' ? null : kind })}
                  />
                )}
              </Field>
            </>
          )}
          <Field label="Arguments">{text('args', 'words, or JSON')}</Field>
        </div>
        {problem && <ProblemNotice problem={problem} />}
        {verdict && <Answer verdict={verdict} who={who} />}
        {!verdict && !problem && (
          <p class="muted">Name a function; the master judges as it would judge a request, and runs nothing.</p>
        )}
      </div>
    </Card>
  )
}
