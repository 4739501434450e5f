// The form of a function, made from its declared arguments.
import { Field } from '../../ui/basic.tsx'
import {
  type Argument,
  type Call,
  type Description,
  FREE_MORE,
  FREE_REST,
  isLong,
  isTruth,
  namedArguments,
  type Texts,
  takes,
} from './form.ts'
import { valueText } from './values.ts'

const KIND_HINTS: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  count: 'a whole number',
  list: 'a list: [a, b], or one item on a line',
  dict: 'a mapping: {key: value}',
  words: 'words with commas, or [a, b]',
  textOrList: 'a text, or a list [a, b]',
  textListOrDict: 'a text, a list [a, b] or a mapping {key: value}',
  any: 'any value: a text, 5, True, [a, b], {key: value}',
}

const Hint = ({ argument }: { argument: Argument }) => {
  const { doc, kind, required, default: usual } = argument
  const parts = [doc, KIND_HINTS[kind], !required && usual !== null && `default ${valueText(usual)}`]
  return <>{parts.filter(Boolean).join(' · ')}</>
}

interface ControlProps {
  argument: Argument
  text: string | undefined
  onInput(text: string | undefined): void
  ids: object
}

function Control({ argument, text, onInput, ids }: ControlProps) {
  const { default: usual, secret } = argument
  const placeholder = usual === undefined || usual === null ? '' : valueText(usual).slice(0, 80)
  const input = (event: { currentTarget: { value: string } }): void => onInput(event.currentTarget.value || undefined)
  const common = { ...ids, value: text ?? '', placeholder, autocomplete: 'off', spellcheck: false, onInput: input }
  if (isTruth(argument)) {
    return (
      <select {...ids} class="select" value={text ?? ''} onChange={input}>
        <option value="">{placeholder === '' ? 'not given' : `default (${placeholder})`}</option>
        <option value="True">True</option>
        <option value="False">False</option>
      </select>
    )
  }
  if (isLong(argument)) return <textarea {...common} class="textarea" rows={2} />
  if (secret) return <input {...common} class="input" type="password" autocomplete="new-password" />
  return <input {...common} class="input mono" autocapitalize="off" />
}

const Label = ({ argument: { name, required, secret } }: { argument: Argument }) => (
  <>
    <code>{name}</code>
    {required && <span class="muted small"> required</span>}
    {secret && <span class="muted small"> secret: not kept in the address</span>}
  </>
)

interface Props {
  description: Description | undefined
  texts: Texts
  call: Call
  onChange(texts: Texts): void
}

const Free = ({
  label,
  hint,
  wrong,
  value,
  onInput,
}: {
  label: string
  hint: string
  wrong: string | undefined
  value: string
  onInput(text: string): void
}) => (
  <Field label={label} hint={hint} wrong={wrong}>
    {(ids) => (
      <textarea
        {...ids}
        class="textarea"
        rows={Math.min(8, value.split('\n').length + 1)}
        value={value}
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    )}
  </Field>
)

/** How many optional arguments are shown unfolded. */
const SHOWN = 4

export function Arguments({ description, texts, call, onChange }: Props) {
  const named = namedArguments(description)
  const isUsed = ({ name }: Argument): boolean => texts.named[name] !== undefined
  const first = named.filter((each, index) => each.required || isUsed(each) || index < SHOWN)
  const others = named.filter((each) => !first.includes(each))
  const set = (name: string, text: string | undefined): void => {
    const { [name]: _, ...rest } = texts.named
    onChange({ ...texts, named: text === undefined ? rest : { ...rest, [name]: text } })
  }
  const field = (argument: Argument) => (
    <Field
      key={argument.name}
      label={<Label argument={argument} />}
      hint={<Hint argument={argument} />}
      wrong={call.wrong[argument.name]}
    >
      {(ids) => (
        <Control
          argument={argument}
          text={texts.named[argument.name]}
          ids={ids}
          onInput={(text) => set(argument.name, text)}
        />
      )}
    </Field>
  )
  const docOf = (kind: string) => description?.arguments.find((each) => each.kind === kind)?.doc
  return (
    <div class="stack">
      <div class="run-fields">{first.map(field)}</div>
      {others.length > 0 && (
        <details>
          <summary>
            {others.length} further arguments{' '}
            <span class="muted small clip">{others.map(({ name }) => name).join(', ')}</span>
          </summary>
          <div class="run-fields">{others.map(field)}</div>
        </details>
      )}
      {(takes(description, 'rest') || texts.rest !== '') && (
        <Free
          label="Positional arguments"
          hint={`${docOf('rest') ?? 'One on a line'} · one on a line, JSON or YAML`}
          wrong={call.wrong[FREE_REST]}
          value={texts.rest}
          onInput={(rest) => onChange({ ...texts, rest })}
        />
      )}
      {(takes(description, 'open') || texts.more !== '') && (
        <Free
          label="Keyword arguments"
          hint={`${docOf('open') ?? 'Any keywords'} · one name=value on a line, values as JSON or YAML`}
          wrong={call.wrong[FREE_MORE]}
          value={texts.more}
          onInput={(more) => onChange({ ...texts, more })}
        />
      )}
    </div>
  )
}
