// Source text: the words of C, C++, Fortran and OpenACC in colours, and the line
// that matters pointed out.
import { get, type Source } from "./api";
import { h, show } from "./dom";
import { state } from "./state";

const cWords = new Set(("alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false final float for friend goto if inline int long " +
  "mutable namespace new noexcept nullptr operator override private protected public register restrict return short signed sizeof static struct switch template this throw true try typedef typename " +
  "union unsigned using virtual void volatile while size_t").split(" "));
const fortranWords = new Set(("allocatable allocate associate block call case character class close common complex contains continue cycle data deallocate default dimension do double elemental else " +
  "elseif end enddo endif endfunction endmodule endprogram endsubroutine enum exit external format function if implicit import in include inout integer intent interface intrinsic kind len logical module " +
  "namelist none nullify only open optional out parameter pointer precision print private procedure program public pure read real recursive result return save select stop subroutine target then type " +
  "use value where while write concurrent local").split(" "));

export const isFortran = (file: string): boolean => /\.(f|for|ftn|f77|f90|f95|f03|f08|f18|fpp)$/i.test(file);

type Piece = [text: string, kind: "" | "word" | "number" | "text" | "comment" | "directive"];

const cPieces = /\/\/.*|\/\*.*?(?:\*\/|$)|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[A-Za-z_]\w*|\d[\w.]*(?:[eE][+-]?\d+\w*)?|\s+|./g;
const fortranPieces = /!.*|"[^"]*"?|'[^']*'?|[A-Za-z_]\w*|\d[\w.]*(?:[eEdD][+-]?\d+\w*)?|\s+|./g;

// Highlighter goes through the lines of a file: a comment may reach over several, and
// so may a directive.
export class Highlighter {
  private inside: "" | "comment" | "directive" = "";
  private readonly fortran: boolean;

  constructor(file: string) {
    this.fortran = isFortran(file);
  }

  line(text: string): Piece[] {
    if (this.fortran) return /^\s*[!cC*]\$(acc|omp)/i.test(text) ? [[text, "directive"]] : this.pieces(text, fortranPieces);
    if (this.inside === "directive" || /^\s*#/.test(text)) {
      this.inside = /\\\s*$/.test(text) ? "directive" : "";
      return [[text, "directive"]];
    }
    if (this.inside === "comment") {
      const end = text.indexOf("*/");
      if (end < 0) return [[text, "comment"]];
      this.inside = "";
      return [[text.slice(0, end + 2), "comment"], ...this.pieces(text.slice(end + 2), cPieces)];
    }
    return this.pieces(text, cPieces);
  }

  private pieces(text: string, form: RegExp): Piece[] {
    if (text.length > 2000) return [[text, ""]];
    const list: Piece[] = [];
    for (const [piece] of text.matchAll(form)) {
      const kind = this.kind(piece);
      if (kind === "comment" && piece.startsWith("/*") && !piece.endsWith("*/")) this.inside = "comment";
      const last = list.at(-1);
      if (last && last[1] === kind) last[0] += piece;
      else list.push([piece, kind]);
    }
    return list;
  }

  private kind(piece: string): Piece[1] {
    const first = piece.charAt(0);
    if (piece.startsWith("//") || piece.startsWith("/*") || (this.fortran && first === "!")) return "comment";
    if (first === '"' || first === "'") return "text";
    if (/\d/.test(first)) return "number";
    if (/[A-Za-z_]/.test(first)) return (this.fortran ? fortranWords.has(piece.toLowerCase()) : cWords.has(piece)) ? "word" : "";
    return "";
  }
}

// coloured is a line's text.
export function coloured(pieces: Piece[]): HTMLElement {
  return h("span", { class: "code" }, ...pieces.map(([text, kind]) => (kind === "" ? text : h("span", { class: `s-${kind}` }, text))));
}

// code is a few lines of a language that the file's name tells.
export function code(text: string, file: string): HTMLElement {
  const highlighter = new Highlighter(file);
  return h("pre", { class: "source brief" }, ...text.split("\n").map((line) => h("div", { class: "row" }, coloured(highlighter.line(line)))));
}

// excerpt is a few lines around one.
export function excerpt(file: string, line: number): HTMLElement {
  const place = h("div");
  void show(place, async () => {
    const s = await get<Source>("source", { trace: state.trace, file, line, around: 4 });
    const highlighter = new Highlighter(file);
    return [h("pre", { class: "source" }, ...s.lines.map((text, i) =>
      h("div", { class: `row${s.first + i === line ? " here" : ""}` }, h("span", { class: "n" }, String(s.first + i)), coloured(highlighter.line(text))))),
      s.newer && h("p", { class: "note" }, "The file is newer than the run: lines may have moved.")];
  });
  return place;
}
