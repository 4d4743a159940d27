from support.demo_picture import PICTURE, demo_output, drawn, lines_in, pictured_lines, without_colours


def test_picture_in_the_readme_shows_what_the_demo_shows() -> None:
    lines = without_colours(pictured_lines(demo_output()))

    assert lines_in(PICTURE.read_text(encoding="utf-8")) == lines


def test_picture_keeps_text_and_colours() -> None:
    picture = drawn(["a <b> & \x1b[32mgreen\x1b[0m", "", "  end  "])

    assert lines_in(picture) == ["a <b> & green", "", "  end"]
    assert '<tspan class="s32">green</tspan>' in picture
