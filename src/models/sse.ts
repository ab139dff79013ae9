/** Server-sent events, as far as chat completions use them: the text of each `data:` line. */

/**
 * A reader that is fed the pieces of a stream, cut anywhere, and hands over the data lines. Only whole lines are
 * decoded, and a line feed is never part of a longer UTF-8 sequence, so that a cut inside a character does no harm.
 * Comments, other fields and empty lines are skipped; a carriage return stays at the end of the data.
 */
export function dataLines(onData: (data: string) => void): (piece: Buffer) => void {
  let unfinished: Buffer[] = [];
  return (piece) => {
    const end = piece.lastIndexOf(10) + 1;
    if (end === 0) {
      unfinished.push(piece);
      return;
    }
    let text = piece.toString('utf8', 0, end);
    if (unfinished.length > 0) text = Buffer.concat([...unfinished, piece.subarray(0, end)]).toString();
    unfinished = end < piece.length ? [piece.subarray(end)] : [];
    for (let from = 0, feed = text.indexOf('\n'); feed >= 0; from = feed + 1, feed = text.indexOf('\n', from)) {
      if (text.startsWith('data:', from)) onData(text.slice(text.charCodeAt(from + 5) === 32 ? from + 6 : from + 5, feed));
    }
  };
}
