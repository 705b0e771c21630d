# SPDX-License-Identifier: Apache-2.0
"""Sparse elimination modulo a prime, compiled.

Rows live in one growing pool of (column, value) entries. They are bucketed by their
leading column, so that a step on column j touches only the rows that hold it.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = [
    "FIRST_PRIME",
    "SECOND_PRIME",
    "echelon",
    "express",
    "free_vectors",
    "publish",
]

FIRST_PRIME = 2**31 - 1
SECOND_PRIME = 2**31 - 19


@numba.njit(cache=True)
def _inverse(number, prime):
    """Invert by Fermat's little theorem."""
    result = 1
    base = number % prime
    exponent = prime - 2
    while exponent > 0:
        if exponent & 1:
            result = result * base % prime
        base = base * base % prime
        exponent >>= 1
    return result


@numba.njit(cache=True)
def _room(array, need):
    """Double an array until it holds ``need`` entries."""
    size = array.size
    while size < need:
        size *= 2
    larger = np.empty(size, array.dtype)
    larger[: array.size] = array
    return larger


@numba.njit(cache=True)
def _combine(columns, values, target, pivot, factor, top, descending, prime):
    """Write row ``target`` + factor · row ``pivot`` at ``top``, without their leads.

    ``target`` and ``pivot`` are (start, length); entries are sorted, and the leads
    cancel. Gives the new end of the pool.
    """
    i, i_end = target[0] + 1, target[0] + target[1]
    j, j_end = pivot[0] + 1, pivot[0] + pivot[1]
    sign = -1 if descending else 1
    while i < i_end and j < j_end:
        difference = (columns[i] - columns[j]) * sign
        if difference < 0:
            columns[top] = columns[i]
            values[top] = values[i]
            i += 1
            top += 1
        elif difference > 0:
            columns[top] = columns[j]
            values[top] = factor * values[j] % prime
            j += 1
            top += 1
        else:
            value = (values[i] + factor * values[j]) % prime
            if value != 0:
                columns[top] = columns[i]
                values[top] = value
                top += 1
            i += 1
            j += 1
    while i < i_end:
        columns[top] = columns[i]
        values[top] = values[i]
        i += 1
        top += 1
    while j < j_end:
        columns[top] = columns[j]
        values[top] = factor * values[j] % prime
        j += 1
        top += 1
    return top


@numba.njit(cache=True)
def echelon(indptr, indices, data, n_columns, prime):
    """Eliminate from the last column to the first; rows sorted by falling column.

    Gives (pivot row of each column or -1, row starts, row lengths, columns, values,
    number of row operations).
    """
    n_rows = indptr.size - 1
    columns = np.empty(max(16, indices.size * 2), np.int32)
    values = np.empty(columns.size, np.int64)
    columns[: indices.size] = indices
    values[: indices.size] = data
    top = indices.size
    starts = indptr[:-1].copy()
    lengths = indptr[1:] - indptr[:-1]
    head = np.full(n_columns, -1, np.int64)
    following = np.full(n_rows, -1, np.int64)
    for row in range(n_rows):
        if lengths[row] > 0:
            column = columns[starts[row]]
            following[row] = head[column]
            head[column] = row
    pivots = np.full(n_columns, -1, np.int64)
    operations = 0
    for column in range(n_columns - 1, -1, -1):
        row = head[column]
        if row < 0:
            continue
        best = row
        while row >= 0:
            if lengths[row] < lengths[best]:
                best = row
            row = following[row]
        pivots[column] = best
        inverse = _inverse(values[starts[best]], prime)
        row = head[column]
        while row >= 0:
            after = following[row]
            if row != best:
                factor = (prime - values[starts[row]] * inverse % prime) % prime
                need = top + lengths[row] + lengths[best]
                if need > columns.size:
                    columns = _room(columns, need)
                    values = _room(values, need)
                end = _combine(
                    columns,
                    values,
                    (starts[row], lengths[row]),
                    (starts[best], lengths[best]),
                    factor,
                    top,
                    True,
                    prime,
                )
                operations += 1
                starts[row] = top
                lengths[row] = end - top
                top = end
                if lengths[row] > 0:
                    lead = columns[starts[row]]
                    following[row] = head[lead]
                    head[lead] = row
            row = after
    return pivots, starts, lengths, columns, values, operations


@numba.njit(cache=True)
def express(pivots, starts, lengths, columns, values, prime):
    """Write every pivot column as a combination of columns that are none.

    Gives (indptr over all columns, indices, values); free columns have empty rows.
    """
    n_columns = pivots.size
    total = np.zeros(n_columns, np.int64)
    seen = np.full(n_columns, -1, np.int64)
    touched = np.empty(n_columns, np.int32)
    indptr = np.zeros(n_columns + 1, np.int64)
    out_columns = np.empty(max(16, columns.size), np.int32)
    out_values = np.empty(out_columns.size, np.int64)
    top = 0
    for column in range(n_columns):
        indptr[column] = top
        row = pivots[column]
        if row < 0:
            continue
        start = starts[row]
        negative = (prime - _inverse(values[start], prime)) % prime
        count = 0
        for t in range(start + 1, start + lengths[row]):
            other = columns[t]
            factor = values[t] * negative % prime
            if pivots[other] < 0:
                if seen[other] != column:
                    seen[other] = column
                    total[other] = 0
                    touched[count] = other
                    count += 1
                total[other] = (total[other] + factor) % prime
                continue
            for u in range(indptr[other], indptr[other + 1]):
                free = out_columns[u]
                if seen[free] != column:
                    seen[free] = column
                    total[free] = 0
                    touched[count] = free
                    count += 1
                total[free] = (total[free] + factor * out_values[u]) % prime
        if top + count > out_columns.size:
            out_columns = _room(out_columns, top + count)
            out_values = _room(out_values, top + count)
        for k in range(count):
            if total[touched[k]] != 0:
                out_columns[top] = touched[k]
                out_values[top] = total[touched[k]]
                top += 1
        indptr[column + 1] = top
    indptr[n_columns] = top
    return indptr, out_columns[:top], out_values[:top]


@numba.njit(cache=True)
def publish(indptr, indices, data, n_candidates, untested, random, prime):
    """Publish candidate columns in order, unless that gives a later column away.

    Columns from ``n_candidates`` on are protected. Publishing column j passes to the
    quotient by j; it gives column k away when the two are parallel there. Two random
    linear functionals of the rows, kept for each protected column, tell parallel
    columns apart from others but for a chance of about 1 in ``prime``, and an error
    then costs one needless suppression.

    Gives (published, row operations, longest row).
    """
    n_rows = indptr.size - 1
    n_columns = untested.size
    columns = np.empty(max(1024, indices.size * 3), np.int32)
    values = np.empty(columns.size, np.int64)
    columns[: indices.size] = indices
    values[: indices.size] = data
    top = indices.size
    starts = indptr[:-1].copy()
    lengths = indptr[1:] - indptr[:-1]
    head = np.full(n_columns, -1, np.int64)
    following = np.full(n_rows, -1, np.int64)
    first = np.zeros(n_columns, np.int64)
    second = np.zeros(n_columns, np.int64)
    for row in range(n_rows):
        if lengths[row] > 0:
            lead = columns[starts[row]]
            following[row] = head[lead]
            head[lead] = row
        for t in range(starts[row], starts[row] + lengths[row]):
            column = columns[t]
            if column >= n_candidates:
                first[column] = (first[column] + random[0, row] * values[t]) % prime
                second[column] = (second[column] + random[1, row] * values[t]) % prime
    published = np.ones(n_candidates, np.bool_)
    operations = 0
    longest = 0
    for j in range(n_candidates):
        row = head[j]
        if row < 0:
            continue  # already a combination of published cells
        best = row
        first_j = 0
        second_j = 0
        while row >= 0:
            if lengths[row] < lengths[best]:
                best = row
            first_j = (first_j + random[0, row] * values[starts[row]]) % prime
            second_j = (second_j + random[1, row] * values[starts[row]]) % prime
            row = following[row]
        start, length = starts[best], lengths[best]
        if not untested[j]:
            t = start + length - 1
            while t > start and columns[t] >= n_candidates:
                k = columns[t]
                if first[k] * second_j % prime == second[k] * first_j % prime:
                    published[j] = False
                    break
                t -= 1
        if not published[j]:
            row = head[j]
            while row >= 0:
                after = following[row]
                starts[row] += 1
                lengths[row] -= 1
                if lengths[row] > 0:
                    lead = columns[starts[row]]
                    following[row] = head[lead]
                    head[lead] = row
                row = after
            continue
        inverse = _inverse(values[start], prime)
        share_1 = first_j * inverse % prime
        share_2 = second_j * inverse % prime
        t = start + length - 1
        while t > start and columns[t] >= n_candidates:
            k = columns[t]
            first[k] = (first[k] + (prime - share_1) * values[t]) % prime
            second[k] = (second[k] + (prime - share_2) * values[t]) % prime
            t -= 1
        row = head[j]
        while row >= 0:
            after = following[row]
            if row != best:
                need = lengths[row] + lengths[best]
                if top + need > columns.size:
                    columns, values, top = _compact(
                        columns, values, starts, lengths, need
                    )
                factor = (prime - values[starts[row]] * inverse % prime) % prime
                end = _combine(
                    columns,
                    values,
                    (starts[row], lengths[row]),
                    (starts[best], lengths[best]),
                    factor,
                    top,
                    False,
                    prime,
                )
                operations += 1
                starts[row] = top
                lengths[row] = end - top
                longest = max(longest, lengths[row])
                top = end
                if lengths[row] > 0:
                    lead = columns[starts[row]]
                    following[row] = head[lead]
                    head[lead] = row
            row = after
        lengths[best] = 0
    return published, operations, longest


@numba.njit(cache=True)
def _compact(columns, values, starts, lengths, need):
    """Move live rows to the front of a pool that has room for ``need`` more."""
    live = lengths.sum()
    size = columns.size
    if (live + need) * 2 > size:
        size = size * 2 + need
    new_columns = np.empty(size, np.int32)
    new_values = np.empty(size, np.int64)
    top = 0
    for row in range(starts.size):
        start, length = starts[row], lengths[row]
        new_columns[top : top + length] = columns[start : start + length]
        new_values[top : top + length] = values[start : start + length]
        starts[row] = top
        top += length
    return new_columns, new_values, top


@numba.njit(cache=True)
def free_vectors(pivots, starts, lengths, columns, values, random, prime):
    """Complete random values of the free columns to vectors of the null space.

    ``random`` is (k, columns); a column that is 0 in all k vectors is determined by
    the equations, but for a chance of 1 in ``prime`` to the k.
    """
    n_vectors, n_columns = random.shape
    out = np.zeros((n_vectors, n_columns), np.int64)
    for column in range(n_columns):
        row = pivots[column]
        if row < 0:
            out[:, column] = random[:, column]
            continue
        start = starts[row]
        negative = (prime - _inverse(values[start], prime)) % prime
        for k in range(n_vectors):
            total = 0
            for t in range(start + 1, start + lengths[row]):
                total = (total + values[t] * out[k, columns[t]]) % prime
            out[k, column] = total * negative % prime
    return out
