import { describe, expect, test } from 'vitest'
import { isSelfContained } from './self-contained.ts'

describe('a template', () => {
  test.each([
    'text',
    '{{ grains.id | upper }} {{ pillar.get("a", {}) | tojson }} {{ word.strip() }}',
    '{% set x = opts.id %}{% for n in range(3) if n is odd %}{{ loop.index }}{{ x }}{% endfor %}',
    '{% macro m(a) %}{{ a | regex_replace("a", "b") }}{% endmacro %}{{ m(1) }}',
  ])('that computes from data alone is self-contained: %s', (source) => {
    expect(isSelfContained(source)).toBe(true)
  })

  test.each([
    "{{ salt['cmd.run']('true') }}",
    '{{ salt.grains.get("id") }}',
    '{% if false %}{% set salt = 1 %}{% endif %}{{ salt.a }}',
    '{% macro m() %}{% for x in salt["file.find"]("/") %}{% endfor %}{% endmacro %}',
    '{{ show_full_context() }}',
    "{% import 'other.jinja' as other %}",
    "{% from 'other.jinja' import x %}",
    "{% include 'other.jinja' %}",
    "{% extends 'other.jinja' %}",
    "{% import_yaml 'other.yaml' as x %}",
    "{{ '/etc/passwd' | file_hashsum }}",
    '{{ 1 | no_such_filter }}',
    '{{ broken',
  ])('that may look at a machine or at other templates is not: %s', (source) => {
    expect(isSelfContained(source)).toBe(false)
  })
})
