"""The report's pictures: numbers in, SVG text out."""
