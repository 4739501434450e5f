// Run: a target, a function and its arguments, and the command line that does the same. All of the form but secrets is in the address.
import { useState } from 'preact/hooks'
import { Problem, post, read } from '../api/client.ts'
import { counted } from '../format.ts'
import { useResource } from '../live/resource.ts'
import { href, navigate, pageLink, param, setParams } from '../route.ts'
import { Button, Card, Check, CopyMenu, copy, Empty, Field, ProblemNotice, View } from '../ui/basic.tsx'
import { attempt } from '../ui/toasts.tsx'
import { Arguments } from './run/arguments.tsx'
import { type Command, commandLine } from './run/command.ts'
import { callOf, canTest, type Description, secretNames, type Texts, textsOf, withoutSecrets } from './run/form.ts'
import { FamilyField, FunctionDoc, FunctionField, family } from './run/function.tsx'
import { remember } from './run/history.ts'
import { useRested } from './run/later.ts'
import { beginCall, CallResult } from './run/result.tsx'
import './run/run.css'
import { Target, targetKind, useTargeted } from './run/target.tsx'
import { Beginnings } from './run/templates.tsx'

/** Parse a JSON parameter; an invalid one counts as empty. */
function jsonParam(name: string): unknown {
  try {
    return JSON.parse(param(name) || 'null')
  } catch {
    // an address that was cut
    return null
  }
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The descriptions of the chosen function. A function that is not known may be one of the minions' own. */
function useDescription(name: string) {
  const kind = family()
  const state = useResource(
    async (signal): Promise<{ data: Description[]; number: number }> => {
      if (!/^\w+\.\w+$/.test(name)) return { data: [], number: 0 }
      try {
        return await read('/v1/functions/{name}', { params: { name }, query: { family: kind }, signal })
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return { data: [], number: 0 }
        throw error
      }
    },
    [name, kind],
  )
  const all = state.data ?? []
  const description = all.find(({ module }) => module === param('module')) ?? all[0]
  return { ...state, description, modules: all.flatMap(({ module }) => (module === null ? [] : [module])) }
}

/** The texts of the form. They follow the address, except for incomplete values and secrets. */
function useTexts(description: Description | undefined) {
  const source = JSON.stringify([param('function'), description?.module, param('args'), param('kwargs')])
  const [typed, setTyped] = useState<{ source: string; texts: Texts }>()
  const args = jsonParam('args')
  const kwargs = jsonParam('kwargs')
  const texts =
    typed?.source === source
      ? typed.texts
      : textsOf(description, Array.isArray(args) ? args : [], isMapping(kwargs) ? kwargs : {})
  const change = (next: Texts): void => {
    const call = callOf(description, next)
    if (Object.keys(call.wrong).length > 0) {
      setTyped({ source, texts: next })
      return
    }
    const open = withoutSecrets(description, call.kwargs)
    const written = {
      args: call.args.length > 0 ? JSON.stringify(call.args) : '',
      kwargs: Object.keys(open).length > 0 ? JSON.stringify(open) : '',
    }
    const nextSource = JSON.stringify([param('function'), description?.module, written.args, written.kwargs])
    setTyped({ source: nextSource, texts: next })
    setParams(written)
  }
  return { texts, call: callOf(description, texts), change }
}

/** Ask whether the user may run a command, and which rule says so. */
function useRight(command: Command | undefined) {
  const asked = useRested(command)
  return useResource(
    async (signal) => {
      if (!asked) return { data: undefined, number: 0 }
      const { family: kind, function: name, target, targetType, args, kwargs } = asked
      const call = { family: kind, function: name, args: [...args], kwargs: { ...kwargs } }
      const { items } = await post('/v1/rights', {
        body: { calls: [kind === 'execution' ? { ...call, target: target as string, targetType: targetType! } : call] },
        signal,
      })
      return { data: items[0], number: 0 }
    },
    [JSON.stringify(asked)],
  )
}

/** Begin a command, and go to where its result is shown. */
async function begin(command: Command): Promise<void> {
  const { family: kind, function: name, target, targetType, args, kwargs, batch } = command
  remember('recent', { title: commandLine(command), line: commandLine(command), href: location.hash })
  if (kind !== 'execution') {
    setParams({ call: await beginCall(command) })
    return
  }
  const { jid } = await post('/v1/jobs', {
    body: {
      target: target as string,
      targetType: targetType as 'glob',
      function: name,
      args: [...args],
      kwargs: { ...kwargs },
      ...(batch && { batch }),
    },
  })
  navigate(href(['jobs', jid]))
}

const BATCH = /^\d{1,6}(\.\d{1,3})?%?$/

/** Why a command cannot be run yet. */
function unready(command: Command, call: ReturnType<typeof callOf>): string | undefined {
  if (command.function === '') return 'Choose a function'
  if (!/^\w+\.\w+$/.test(command.function)) return 'This is no name of a function'
  if (command.family === 'execution' && command.target === '') return 'Name the target'
  if (call.missing.length > 0) return `Fill in ${call.missing.join(', ')}`
  if (Object.keys(call.wrong).length > 0) return 'Correct the marked fields'
  return command.batch !== undefined && !BATCH.test(command.batch) ? 'Correct the batch size' : undefined
}

function How({ canTest: isTestable, isTest }: { canTest: boolean; isTest: boolean }) {
  const batch = param('batch')
  const isWrong = batch !== '' && !BATCH.test(batch)
  return (
    <div class="row run-how">
      {isTestable && (
        <Check
          checked={isTest}
          label={
            <span>
              Test run: <code>test=True</code> shows what would change, and changes nothing
            </span>
          }
          onChange={(checked) => setParams({ test: checked ? null : 'no' })}
        />
      )}
      {family() === 'execution' && (
        <Field
          label="Batch size"
          hint="Minions at a time: 5 or 10%; empty: all at once"
          wrong={isWrong ? 'Write a number or a percentage' : undefined}
        >
          {(ids) => (
            <input
              {...ids}
              class="input run-batch"
              value={batch}
              autocomplete="off"
              onInput={(event) => setParams({ batch: event.currentTarget.value.trim() })}
            />
          )}
        </Field>
      )}
    </div>
  )
}

/** The user's right, with its rule. */
const RightLine = ({ right }: { right: ReturnType<typeof useRight> }) => {
  if (right.problem) return <ProblemNotice problem={right.problem} />
  if (!right.data) return null
  const { allowed, rule, reason } = right.data
  return allowed ? (
    <p class="muted small wrap">
      Allowed by <code>{rule ?? reason}</code>
    </p>
  ) : (
    <p class="tone-failed small wrap" role="alert">
      {reason}
    </p>
  )
}

export default function Run() {
  const name = param('function')
  const found = useDescription(name)
  const { description } = found
  const { texts, call, change } = useTexts(description)
  const targeted = useTargeted()
  const [isBusy, setBusy] = useState(false)
  const isTestable = canTest(description)
  const isTest = isTestable && param('test') !== 'no'
  const isLocal = family() === 'execution'
  const command: Command = {
    family: family(),
    function: name,
    ...(isLocal && { target: param('target').trim(), targetType: targetKind() }),
    args: call.args,
    kwargs: isTest ? { ...call.kwargs, test: true } : call.kwargs,
    ...(isLocal && param('batch') !== '' && { batch: param('batch') }),
    secrets: secretNames(description),
  }
  const missing = unready(command, call)
  const right = useRight(missing === undefined ? command : undefined)
  const refusal = missing ?? (right.data && !right.data.allowed ? right.data.reason : undefined)
  const line = commandLine(command)
  const reach = isLocal && targeted.data && !targeted.isStale ? ` on ${counted(targeted.data.total, 'minion')}` : ''
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (refusal !== undefined || isBusy) return
    setBusy(true)
    await attempt(() => begin(command))
    setBusy(false)
  }
  return (
    <View
      title="Run"
      actions={
        <CopyMenu
          items={[
            ['Command line', () => line],
            [
              'JSON',
              () =>
                JSON.stringify({ ...command, secrets: undefined, kwargs: withoutSecrets(description, command.kwargs) }),
            ],
            ['Link', pageLink],
          ]}
        />
      }
    >
      <div class="run-columns">
        <form class="stack" onSubmit={(event) => void submit(event)}>
          {isLocal && (
            <Card title="Target">
              <Target targeted={targeted} />
            </Card>
          )}
          <Card title="Function">
            <div class="stack">
              <div class="run-target">
                <FamilyField />
                <FunctionField />
              </div>
              {found.problem && <ProblemNotice problem={found.problem} retry={found.reload} />}
              {name !== '' && !found.isLoading && !description && (
                <p class="muted small">
                  {isLocal
                    ? 'Brine has no function of this name; minions may have it from modules of their own.'
                    : 'The master has no function of this name.'}
                </p>
              )}
              {name !== '' && !(found.isLoading && !description) && (
                <Arguments key={name} description={description} texts={texts} call={call} onChange={change} />
              )}
              <How canTest={isTestable} isTest={isTest} />
            </div>
          </Card>
          <div class="run-end">
            <Card>
              <div class="stack">
                <div class="run-line">
                  <output class="code mono" aria-label="Command line">
                    {line}
                  </output>
                  <Button
                    icon="copy"
                    title="Copy the command line"
                    onClick={() => void copy(line, 'Command line copied')}
                  />
                </div>
                <div class="row">
                  <Button type="submit" kind="primary" icon="run" refusal={refusal} disabled={isBusy}>
                    {isTest ? 'Test' : 'Run'}
                    {reach}
                  </Button>
                  {missing !== undefined && <span class="muted small">{missing}</span>}
                  <RightLine right={right} />
                </div>
              </div>
            </Card>
          </div>
          {param('call') !== '' && <CallResult jid={param('call')} />}
        </form>
        <aside class="stack">
          {description ? (
            <FunctionDoc description={description} modules={found.modules} />
          ) : (
            name === '' && (
              <Card>
                <Empty title="Nothing chosen yet">
                  <p>Choose a function to see what it does, or begin with one of the commands below.</p>
                </Empty>
              </Card>
            )
          )}
          <Beginnings current={missing === undefined ? { title: line, line, href: location.hash } : undefined} />
        </aside>
      </div>
    </View>
  )
}
