// The search for a function, and its documentation.
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { type Data, get, Problem, post } from '../../api/client.ts'
import { param, setParams } from '../../route.ts'
import { Badge, Card, Field, Select } from '../../ui/basic.tsx'
import type { Family } from './command.ts'
import type { Description } from './form.ts'

const MOST = 60
const PAUSE_MS = 150

const FAMILIES = [
  ['execution', 'Functions of minions'],
  ['runner', 'Runners of the master'],
  ['wheel', 'Wheel functions of the master'],
] as const

/** The family of functions in the address. */
export function family(): Family {
  const given = param('family', 'execution')
  return given === 'runner' || given === 'wheel' ? given : 'execution'
}

/** Choose a function; texts typed for another one are dropped. */
const chooseFunction = (name: string): void =>
  setParams({ function: name, args: null, kwargs: null, test: null, module: null, call: null })

type Item = Data<'/v1/functions'>['items'][number] & { refusal?: string }

/** Find functions by a part of the name, with the reasons for those that the user may not call. */
async function find(text: string, kind: Family, signal: AbortSignal): Promise<Item[]> {
  const { items } = await get('/v1/functions', {
    query: { family: kind, q: text, limit: MOST, docs: 'true' },
    signal,
  })
  // names that begin with the text come before those that contain it
  const near = items.sort((a, b) => Number(b.name.startsWith(text)) - Number(a.name.startsWith(text)))
  if (near.length === 0) return []
  const { items: rights } = await post('/v1/rights', {
    body: { calls: near.map(({ name }) => ({ family: kind, function: name })) },
    signal,
  })
  return near.map((item, index) => {
    const right = rights[index]
    return right && !right.allowed ? { ...item, refusal: right.reason } : item
  })
}

function useFound(text: string, isOpen: boolean): readonly Item[] {
  const [found, setFound] = useState<readonly Item[]>([])
  const kind = family()
  useEffect(() => {
    if (!isOpen) return undefined
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const items = await find(text.trim(), kind, abort.signal)
        if (!abort.signal.aborted) setFound(items)
      } catch (error) {
        // the next key press tries again; the selected function reports problems
        if (!(error instanceof Problem) && !abort.signal.aborted) throw error
      }
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text, isOpen, kind])
  return found
}

const Option = ({ item, id, isActive, onChoose }: { item: Item; id: string; isActive: boolean; onChoose(): void }) => (
  <div
    id={id}
    role="option"
    tabIndex={-1}
    aria-selected={isActive}
    aria-disabled={item.refusal !== undefined}
    title={item.refusal}
    ref={(element) => void (isActive && element?.scrollIntoView({ block: 'nearest' }))}
    // the field must not lose the focus before the click
    onPointerDown={(event) => event.preventDefault()}
    onClick={onChoose}
  >
    <span class="mono">{item.name}</span>
    <span class="muted small clip">{item.refusal ?? item.doc}</span>
  </div>
)

export function FunctionField() {
  const chosen = param('function')
  const [text, type] = useState(chosen)
  const [isOpen, open] = useState(false)
  const [at, move] = useState(0)
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => type(chosen), [chosen])
  const found = useFound(text, isOpen)
  useEffect(() => move(0), [found])
  const choose = (name: string): void => {
    open(false)
    type(name)
    if (name !== chosen) chooseFunction(name)
  }
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') open(false)
    else if (event.key === 'Enter') choose((isOpen ? found[at]?.name : undefined) ?? text.trim())
    else if (step !== undefined && !isOpen) open(true)
    else if (step !== undefined) move((at + step + found.length) % Math.max(1, found.length))
    else return
    event.preventDefault()
  }
  return (
    <Field label="Function" hint="Type a part of the name, such as pkg or state.apply">
      {(ids) => (
        <div class="combo">
          <input
            {...ids}
            ref={input}
            class="input mono"
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={`${id}-list`}
            aria-activedescendant={isOpen && found[at] ? `${id}-${at}` : undefined}
            aria-autocomplete="list"
            value={text}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onFocus={(event) => event.currentTarget.select()}
            onClick={() => open(true)}
            onInput={(event) => {
              type(event.currentTarget.value)
              open(true)
            }}
            onKeyDown={press}
            onBlur={() => {
              open(false)
              if (/^\w+\.\w+$/.test(text.trim())) choose(text.trim())
            }}
          />
          <div
            class="found"
            role="listbox"
            id={`${id}-list`}
            aria-label="Functions"
            hidden={!isOpen || found.length === 0}
          >
            {isOpen &&
              found.map((item, index) => (
                <Option
                  key={item.name}
                  item={item}
                  id={`${id}-${index}`}
                  isActive={index === at}
                  onChoose={() => choose(item.name)}
                />
              ))}
          </div>
        </div>
      )}
    </Field>
  )
}

export const FamilyField = () => (
  <Field label="Kind of function">
    {(ids) => (
      <select
        {...ids}
        class="select"
        value={family()}
        onChange={(event) => {
          const next = event.currentTarget.value
          setParams({ family: next === 'execution' ? null : next })
          chooseFunction('')
        }}
      >
        {FAMILIES.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
)

/** The documentation of a function. */
export function FunctionDoc({
  description,
  modules,
}: {
  description: Description
  /** The modules that declare the function; the minion chooses by its system. */
  modules: readonly string[]
}) {
  const { name, doc, changes, examples, result } = description
  return (
    <Card
      title={<span class="mono">{name}</span>}
      actions={
        <>
          {changes === true && <Badge tone="changed">may change the machine</Badge>}
          {changes === false && <Badge tone="ok">only reads</Badge>}
        </>
      }
    >
      <div class="stack">
        {modules.length > 1 && (
          <Select
            label="Module that declares the function"
            value={description.module ?? ''}
            options={modules}
            onChange={(module) => setParams({ module })}
          />
        )}
        <p class="prose">{doc}</p>
        {result && (
          <p class="prose">
            <strong>Returns</strong> {result}
          </p>
        )}
        {examples.length > 0 && (
          <div class="stack">
            <h3>Examples</h3>
            {examples.slice(0, 10).map((example) => (
              <pre key={example} class="code" tabIndex={0}>
                {example}
              </pre>
            ))}
          </div>
        )}
      </div>
    </Card>
  )
}
